// Ranks of a real dt-shim: how they start, end, and are ended.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "shim/event_loop.h"
#include "shim/files.h"
#include "tests/unit/shim/shim_run.h"

namespace dt::shim {
namespace {

using core::Order;
using Lines = std::vector<std::string>;

const std::string ignore_sigterm = "trap '' TERM; ";
const std::string wait_long = "while :; do sleep 0.1; done";

Value op(const char* name) { return Value::Object{{"op", name}}; }
Value preempt(std::int64_t left_ms) {
  return Value::Object{{"op", "preempt"}, {"left_ms", left_ms}};
}

TEST(ShimRanks, RunToTheirEndAndLeaveEverythingInTheSpool) {
  ShimRun run;
  run.ready();
  run.start({"echo one; echo two >&2; printf three", "echo four"});
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits.size(), 2u);
  for (const auto& exit : status.exits) EXPECT_EQ(exit.code, 0);
  auto printed = run.lines(0);
  std::sort(printed.begin(), printed.end());
  EXPECT_EQ(printed, (Lines{"one", "three", "two"}));
  EXPECT_EQ(run.lines(1), Lines{"four"});
  const auto last = run.records();
  for (int rank : {0, 1}) {
    const auto exits = run.records(rank, core::RecordKind::exit);
    ASSERT_EQ(exits.size(), 1u);
    for (const auto& one : last) EXPECT_TRUE(one.stream != rank || one.seq <= exits[0].seq);
    EXPECT_EQ(exits[0].body["ended_boot_ms"].as_int(), run.ended_boot_ms(rank));
  }
  EXPECT_FALSE(std::filesystem::exists(run.path("control.sock")));
  EXPECT_FALSE(std::filesystem::exists(run.path("rank.sock")));
}

// A memory cgroup of version 1 or 2 with so little that any program is too large; empty if this
// process may make none.
std::string small_memory_cgroup(const ShimRun& run) {
  for (const char* root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
    const std::string folder = cat(root, "/dt-test-", std::hash<std::string>()(run.path("")));
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error)) continue;
    for (const char* limit : {"memory.limit_in_bytes", "memory.max"}) {
      std::ofstream file(folder + "/" + limit, std::ios::in);  // only if it is there
      if (file << (32 << 20) << std::flush) return folder;
    }
    std::filesystem::remove(folder, error);
  }
  return "";
}

TEST(ShimRanks, WhoTheKernelKillsForWantOfMemoryIsToldSo) {
  ShimRun run;
  const std::string cgroup = small_memory_cgroup(run);
  if (cgroup.empty()) GTEST_SKIP() << "needs root and memory cgroups";
  run.spec.set("ranks", Value::Array{0, 1});
  run.ready();
  run.start(
      {cat("echo $$ > ", cgroup, "/cgroup.procs; exec python3 -c 'print(len(b\"x\" * (1 << 29)))'"),
       wait_long});
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].code, 137);
  EXPECT_TRUE(status.exits[0].out_of_memory);
  EXPECT_FALSE(status.exits[1].out_of_memory) << "it was ended since its peer died";
  EXPECT_TRUE(run.records(0, core::RecordKind::exit)[0].body["out_of_memory"].as_bool());
  std::filesystem::remove(cgroup);
}

TEST(ShimRanks, ADeadRankEndsTheOthersWithinASecondEvenWhoIgnoresSigterm) {
  ShimRun run;
  run.ready();
  run.start({ignore_sigterm + "echo here; " + wait_long, "echo pid $$; " + wait_long});
  run.wait_for_line(0, "here");
  ::kill(std::stoi(run.wait_for_line(1, "pid ")), SIGKILL);
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].rank, 1);
  EXPECT_EQ(status.exits[0].signal, SIGKILL);
  EXPECT_FALSE(status.exits[0].out_of_memory) << "somebody killed it";
  EXPECT_EQ(status.exits[0].ordered, Order::run);
  EXPECT_EQ(status.exits[1].code, 137);
  EXPECT_LE(run.ended_boot_ms(0) - run.ended_boot_ms(1), 1000);
}

TEST(ShimRanks, ADaemonThatCalledSetsidIsKilledAndHoldsNothingUp) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  // It ignores SIGTERM, has its own session and keeps the rank's output open.
  run.start({"setsid sh -c \"" + ignore_sigterm + "echo daemon \\$\\$; sleep 1000\" & sleep 0.3"});
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].code, 0);
  ASSERT_EQ(run.lines(0).size(), 1u);
  EXPECT_TRUE(wait_for_end(std::stoi(run.lines(0)[0].substr(7))));
}

TEST(ShimRanks, AStoppedProcessIsKilledToo) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start({"echo pid $$; kill -STOP $$"});
  run.wait_for_line(0, "pid ");
  run.order(op("kill"));
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].code, 137);
  EXPECT_EQ(status.exits[0].ordered, Order::kill);
}

TEST(ShimRanks, DieWithTheirShimAndTheLockIsFree) {
  ShimRun run;
  run.ready();
  run.start({"echo pid $$; " + wait_long, "echo pid $$; " + wait_long});
  const pid_t first = std::stoi(run.wait_for_line(0, "pid "));
  const pid_t second = std::stoi(run.wait_for_line(1, "pid "));
  ::kill(run.pid(), SIGKILL);
  EXPECT_EQ(run.wait_exit(), 128 + SIGKILL);
  EXPECT_TRUE(wait_for_end(first));
  EXPECT_TRUE(wait_for_end(second));
  const Fd lock(::open(run.path("lock").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_NE(run.state()["phase"], Value("ended"));
  // What was written is still read when the machine's death tore or zeroed the tail.
  std::ofstream(run.path("spool"), std::ios::app) << "0badc0de {\"half\":" << std::string(99, 0);
  EXPECT_EQ(run.lines(0).size(), 1u);
}

TEST(ShimRanks, APreemptedProgramWithoutHelloGetsSigterm) {
  ShimRun run;
  run.ready();
  run.start({"echo up; " + wait_long, "trap 'exit 75' TERM; echo up; " + wait_long});
  run.wait_for_line(0, "up");
  run.wait_for_line(1, "up");
  run.order(preempt(30'000));
  const auto status = run.wait_until_ended();
  for (const auto& exit : status.exits) {
    EXPECT_EQ(exit.code, exit.rank == 0 ? 143 : 75);
    EXPECT_EQ(exit.ordered, Order::preempt);
  }
}

TEST(ShimRanks, WhoIgnoresAPreemptIsKilledAtItsDeadline) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start({ignore_sigterm + "echo up; " + wait_long});
  run.wait_for_line(0, "up");
  const std::int64_t ordered_ms = to_ms(EventLoop::now());
  run.order(preempt(300));
  EXPECT_EQ(run.wait_until_ended().exits[0].code, 137);
  EXPECT_GE(run.ended_boot_ms(0), ordered_ms + 300);
}

TEST(ShimRanks, AStopThatTheyIgnoreKillsAfterTheGrace) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0}).set("kill_grace_ms", 200);
  run.ready();
  run.start({ignore_sigterm + "echo up; " + wait_long});
  run.wait_for_line(0, "up");
  run.order(op("stop"));
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].code, 137);
  EXPECT_EQ(status.exits[0].ordered, Order::stop);
}

TEST(ShimRanks, ExitCode143AfterStopCountsAsStop) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start({"trap 'exit 143' TERM; echo up; " + wait_long});
  run.wait_for_line(0, "up");
  run.order(op("stop"));
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits[0].code, 143);
  EXPECT_EQ(status.exits[0].signal, 0);
  EXPECT_EQ(status.exits[0].ordered, Order::stop);
}

// Each process forks the next and ends, faster than /proc can be read: no pid is there long enough
// to be killed by it.
TEST(ShimRanks, ThatNeverStandStillAreKilledByTheirGroup) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start({"run() { run & }; run; echo up; " + wait_long});
  run.wait_for_line(0, "up");
  run.order(op("kill"));
  EXPECT_EQ(run.wait_until_ended().exits[0].ordered, Order::kill);
}

TEST(ShimRanks, AreGoneByTheLeasesEnd) {
  ShimRun run;
  run.spec.set("kill_grace_ms", 100);
  run.ready();
  run.start({ignore_sigterm + "echo up; " + wait_long, "echo up; " + wait_long});
  run.wait_for_line(0, "up");
  run.wait_for_line(1, "up");
  const std::int64_t deadline_ms = to_ms(EventLoop::now()) + 300;
  run.order(Value::Object{
      {"op", "lease"}, {"checkpoint_at_ms", deadline_ms - 100}, {"deadline_ms", deadline_ms}});
  const auto status = run.wait_until_ended();
  for (const auto& exit : status.exits) EXPECT_EQ(exit.ordered, Order::preempt);
  EXPECT_GE(run.ended_boot_ms(0), deadline_ms + 100);
  EXPECT_GE(run.ended_boot_ms(1), deadline_ms);
}

TEST(ShimRanks, ATerminatedShimTakesItsTreeAlongAndEndsInOrder) {
  ShimRun run;
  run.ready();
  run.start({ignore_sigterm + "echo up; " + wait_long, wait_long});
  run.wait_for_line(0, "up");
  ::kill(run.pid(), SIGTERM);
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.exits.size(), 2u);
  EXPECT_EQ(status.exits[0].ordered, Order::preempt);
  EXPECT_EQ(run.state()["phase"], Value("ended"));
}

TEST(ShimRanks, AMissingProgramIsNamed) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  Value command = rank_command(0, "");
  command.set("argv", Value::Array{"tran.py", "--lr", "1"});
  run.order(Value::Object{{"op", "start"}, {"ranks", Value::Array{command}}});
  EXPECT_EQ(run.wait_until_ended().exits[0].code, 127);
  EXPECT_EQ(run.lines(0), Lines{"cannot run 'tran.py': No such file or directory"});
}

TEST(ShimRanks, RunAsTheUnprivilegedUserThatTheSpecNames) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  ShimRun run;  // its folder is root's alone, so the socket is put where the user can reach it
  run.spec.set("ranks", Value::Array{0}).set("uid", 65534).set("gid", 65534).set("cwd", "/");
  run.ready();
  run.start(
      {"id -u; id -g; id -G; python3 -c '\n"
       "import os, socket\n"
       "s = socket.socket(socket.AF_UNIX); s.connect(os.environ[\"DT_SOCKET\"])\n"
       "print(\"connected\")'"});
  EXPECT_EQ(run.wait_until_ended().exits[0].code, 0);
  EXPECT_EQ(run.lines(0), (Lines{"65534", "65534", "65534", "connected"}));
  const std::string socket = run.state()["rank_socket"].as_string();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(socket).parent_path()));
}

TEST(ShimRanks, ADeepFolderDoesNotMatter) {
  ShimRun run;
  run.put_deep();
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start(
      {run.python("rank", "v = Voice(); show(v.hear()['type'], len(os.environ['DT_SOCKET']))")});
  run.wait_until_ended();
  ASSERT_EQ(run.lines(0).size(), 1u);
  EXPECT_TRUE(run.lines(0)[0].starts_with("welcome "));
  EXPECT_LT(std::stoi(run.lines(0)[0].substr(8)), 108);
}

TEST(ShimRanks, AFloodOfOutputIsNotLost) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  run.start({"seq 1 100000"});
  run.wait_until_ended();
  const auto lines = run.lines(0);
  ASSERT_EQ(lines.size(), 100'000u);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], cat(i + 1));
}

TEST(ShimRanks, AFullDiskLosesNothingAndIsReported) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  const rlimit none{.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
  const rlimit unlimited{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(run.pid(), RLIMIT_FSIZE, &none, nullptr), 0);
  // More than the shim holds in memory, so the rank has to wait.
  run.start(
      {"line=$(head -c 60000 /dev/zero | tr '\\0' x); "
       "for n in $(seq 1 700); do echo \"$n $line\"; done"});
  run.wait_for([](const Value& message) {
    return message["status"]["spool_problem"] == Value("cannot write the spool: File too large");
  });
  ASSERT_EQ(::prlimit(run.pid(), RLIMIT_FSIZE, &unlimited, nullptr), 0);
  run.wait_until_ended();
  const auto lines = run.lines(0);
  ASSERT_EQ(lines.size(), 700u);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(std::stoul(lines[i]), i + 1);
  EXPECT_EQ(run.state()["spool_problem"], Value(""));
  EXPECT_EQ(run.state()["phase"], Value("ended"));
}

}  // namespace
}  // namespace dt::shim
