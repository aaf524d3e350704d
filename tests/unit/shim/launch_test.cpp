// dt-launch: its options, what it tells its ranks, and the program itself.
#include "shim/launch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/cat.h"

namespace dt::shim {
namespace {

struct Output {
  int code = 0;
  std::string text;  // standard output and error
};

Output run(const std::string& arguments) {
  const std::string command = cat("TMPDIR=/tmp ", DT_LAUNCH_PROGRAM, " ", arguments, " 2>&1");
  FILE* pipe = ::popen(command.c_str(), "r");
  Output output;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe)) output.text += buffer.data();
  const int status = ::pclose(pipe);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string error(const std::vector<std::string>& arguments) {
  return parse_launch_arguments(arguments).status().text();
}

TEST(LaunchOptions, TakeBothFormsAndStopAtTheCommand) {
  const auto options = parse_launch_arguments({"--nproc", "4", "--env=A=b=c", "--timeout", "5",
                                               "--metrics", "--", "python3", "x.py", "--nproc"});
  EXPECT_EQ(options.value(), (LaunchOptions{.nproc = 4,
                                            .env = {{"A", "b=c"}},
                                            .timeout = Duration(5000),
                                            .metrics = true,
                                            .command = {"python3", "x.py", "--nproc"}}));
  EXPECT_EQ(parse_launch_arguments({"./train"})->command, std::vector<std::string>{"./train"});
}

TEST(LaunchOptions, SayWhatIsWrong) {
  EXPECT_EQ(error({"--nproc", "0", "--", "x"}), "--nproc must be a number of 1 or more, got '0'");
  EXPECT_EQ(error({"--what", "0", "--", "x"}), "unknown option '--what' (dt-launch --help)");
  EXPECT_EQ(error({"--dir", "--", "x"}), "--dir needs a value (dt-launch --help)");
  EXPECT_EQ(error({"--env", "A", "--", "x"}), "--env must be NAME=VALUE, got 'A'");
  EXPECT_EQ(error({}), "there is no command to run (dt-launch --nproc 2 -- python3 train.py)");
}

TEST(LaunchEnvironment, TheUsersValueWinsAndInheritedTrialsAreForgotten) {
  const auto env = launch_environment({.nproc = 2, .env = {{"DT_HPARAMS", "{\"lr\":1}"}}},
                                      {.port = 4711, .checkpoint_dir = "/c", .allocation = "1.5"},
                                      1, {{"DT_OLD", "x"}, {"SLURM_JOB_ID", "7"}, {"HOME", "/h"}});
  EXPECT_EQ(env.at("DT_HPARAMS"), "{\"lr\":1}");
  EXPECT_EQ(env.at("DT_RANK"), "1");
  EXPECT_EQ(env.at("WORLD_SIZE"), "2");
  EXPECT_EQ(env.at("MASTER_PORT"), "4711");
  EXPECT_EQ(env.at("DT_SLOT_IDS"), "cpu0,cpu1");
  EXPECT_EQ(env.at("HOME"), "/h");
  EXPECT_FALSE(env.contains("DT_OLD"));
  EXPECT_FALSE(env.contains("SLURM_JOB_ID"));
}

TEST(Launch, RunsRanksAndPrefixesTheirLines) {
  const Output output = run("--nproc 2 -- sh -c 'echo rank $DT_RANK of $DT_SIZE'");
  EXPECT_EQ(output.code, 0);
  EXPECT_NE(output.text.find("[0] rank 0 of 2\n"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("[1] rank 1 of 2\n"), std::string::npos) << output.text;
}

TEST(Launch, OneRankIsNotPrefixedAndItsCodeIsOurs) {
  const Output output = run("-- sh -c 'echo plain; exit 3'");
  EXPECT_EQ(output.code, 3);
  EXPECT_EQ(output.text, "plain\n");
}

TEST(Launch, TheFirstFailureEndsTheOthersAndGivesTheCode) {
  const Output output =
      run("--nproc 2 -- sh -c 'test $DT_RANK = 0 || exit 7; while :; do sleep 0.1; done'");
  EXPECT_EQ(output.code, 7);
  EXPECT_NE(output.text.find("dt-launch: rank 1 ended with exit code 7"), std::string::npos);
}

TEST(Launch, ASignalPreempts) {
  EXPECT_EQ(run("-- sh -c 'kill -TERM $PPID; while :; do sleep 0.1; done'").code, 75);
}

TEST(Launch, ATimeoutKills) {
  const Output output = run("--timeout 1 -- sh -c 'trap \"\" TERM; while :; do sleep 0.1; done'");
  EXPECT_EQ(output.code, 124);
}

TEST(Launch, KeepsItsFolderOnlyWhenTold) {
  const Output folder = run("-- sh -c 'dirname $DT_CHECKPOINT_DIR'");
  EXPECT_FALSE(std::filesystem::exists(folder.text.substr(0, folder.text.size() - 1)));
  std::string kept = std::filesystem::temp_directory_path() / "launch-test-XXXXXX";
  ASSERT_NE(::mkdtemp(kept.data()), nullptr);
  EXPECT_EQ(run(cat("--dir ", kept, " -- true")).code, 0);
  EXPECT_TRUE(std::filesystem::exists(kept + "/spool"));
  EXPECT_EQ(run(cat("--dir ", kept, " -- true")).text,
            cat("dt-launch: ", kept, " holds the spool of an earlier run (name another --dir)\n"));
  std::filesystem::remove_all(kept);
}

TEST(Launch, PrintsMetricsWhenAsked) {
  const std::string code =
      "import json,os,socket\n"
      "s=socket.socket(socket.AF_UNIX); s.connect(os.environ[\"DT_SOCKET\"]); "
      "f=s.makefile(\"rw\")\n"
      "def say(**m): f.write(json.dumps(m)+\"\\n\"); f.flush(); return f.readline()\n"
      "say(type=\"hello\",protocol=1,rank=0,token=os.environ[\"DT_TOKEN\"])\n"
      "say(type=\"metrics\",seq=1,group=\"training\",step=4,values={\"loss\":0.5,\"x\":\"NaN\"})\n";
  EXPECT_EQ(run("--metrics -- python3 -c '" + code + "'").text,
            "training step 4 loss=0.5 x=\"NaN\"\n");
}

}  // namespace
}  // namespace dt::shim
