// Where submitted code comes from: git asked for real, secrets left out.
#include "client/provenance.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "client/run_git.h"

namespace dt::client {
namespace {

namespace fs = std::filesystem;

class Repository : public testing::Test {
 protected:
  Repository() {
    std::string pattern = (fs::temp_directory_path() / "dt-git-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    fs::create_directories(folder_ / "code");
    fs::create_directories(folder_ / "other");
  }
  ~Repository() override { fs::remove_all(folder_); }

  void git(std::vector<std::string> arguments) {
    const std::vector<std::string> who = {"-c", "user.name=a", "-c", "user.email=a@example"};
    arguments.insert(arguments.begin(), who.begin(), who.end());
    ASSERT_TRUE(run_git(folder_.string(), arguments, 4096).has_value());
  }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  void begin() {
    git({"init", "-q", "-b", "trunk"});
    write("code/train.py", "lr = 1\n");
    write("other/notes", "a\n");
    git({"add", "."});
    git({"commit", "-q", "-m", "first"});
  }
  ::dovetail::v1::Provenance look(const std::string& part = "code") {
    return provenance_of({.folder = (folder_ / part).string(),
                          .command = {"dtctl", "experiment", "create"},
                          .client = "dtctl 0.1.0"});
  }

  fs::path folder_;
};

TEST_F(Repository, IsNamedByCommitBranchAndRemote) {
  begin();
  git({"remote", "add", "origin", "https://ada:secret@example.com/x.git"});
  const auto found = look();
  EXPECT_EQ(found.git_commit().size(), 40u);
  EXPECT_EQ(found.git_branch(), "trunk");
  EXPECT_EQ(found.git_remote(), "https://example.com/x.git");
  EXPECT_FALSE(found.git_dirty());
  EXPECT_EQ(found.git_diff(), "");
  EXPECT_EQ(found.command_line(), "dtctl experiment create");
  EXPECT_EQ(found.client(), "dtctl 0.1.0");
  EXPECT_EQ(found.folder(), fs::canonical(folder_ / "code").string());
  EXPECT_NE(found.user(), "");
  EXPECT_NE(found.host(), "");
  git({"checkout", "-q", "--detach"});
  EXPECT_EQ(look().git_branch(), "") << "no branch is checked out";
}

TEST_F(Repository, WithChangesInTheFolderHasTheirDiff) {
  begin();
  write("other/notes", "b\n");
  EXPECT_FALSE(look().git_dirty()) << "that is not the code";
  write("code/train.py", "lr = 2\n");
  const auto found = look();
  EXPECT_TRUE(found.git_dirty());
  EXPECT_NE(found.git_diff().find("-lr = 1\n+lr = 2\n"), std::string::npos) << found.git_diff();
  EXPECT_EQ(found.git_diff().find("notes"), std::string::npos);
}

TEST_F(Repository, WithANewFileIsDirtyThoughItHasNoDiff) {
  begin();
  write("code/new.py", "x\n");
  EXPECT_TRUE(look().git_dirty());
  EXPECT_EQ(look().git_diff(), "");
}

TEST_F(Repository, WithAHugeChangeHasACutDiff) {
  begin();
  write("code/train.py", std::string(3 * 1024 * 1024, 'x') + "\n");
  const auto found = look();
  EXPECT_TRUE(found.git_diff_cut());
  EXPECT_LE(found.git_diff().size(), diff_bytes_max);
  EXPECT_GT(found.git_diff().size(), diff_bytes_max - 8);
}

TEST_F(Repository, WithOddBytesIsStillText) {
  begin();
  write("code/train.py", "caf\xe9\n");
  EXPECT_NE(look().git_diff().find("+caf\xef\xbf\xbd"), std::string::npos);
}

TEST_F(Repository, ThatIsNoneHasNoGit) {
  setenv("GIT_CEILING_DIRECTORIES", folder_.parent_path().c_str(), 1);
  const auto found = look();
  EXPECT_EQ(found.git_commit(), "");
  EXPECT_NE(found.folder(), "");
  EXPECT_EQ(look("missing").folder(), (folder_ / "missing").string());
  unsetenv("GIT_CEILING_DIRECTORIES");
}

TEST_F(Repository, WithoutAnyCommitHasNoCommit) {
  git({"init", "-q"});
  EXPECT_EQ(look().git_commit(), "");
}

TEST(Git, ThatTakesTooLongIsLeft) {
  // The alias is a shell that reads a pipe which never ends.
  const auto slow = run_git("/", {"-c", "alias.slow=!tail -f /dev/null", "slow"}, 4096,
                            std::chrono::milliseconds(50));
  EXPECT_FALSE(slow.has_value());
}

TEST(Credentials, LeaveAddressesOnly) {
  EXPECT_EQ(without_credentials("https://a:b@h/x?y=a@b"), "https://h/x?y=a@b");
  EXPECT_EQ(without_credentials("https://h/x@y"), "https://h/x@y");
  EXPECT_EQ(without_credentials("git@h:x.git"), "git@h:x.git");
  EXPECT_EQ(without_credentials("https://a:p@ss@h/x"), "https://h/x");
  EXPECT_EQ(without_credentials("--a=http://u:p@h --b=ssh://u@g/x"), "--a=http://h --b=ssh://g/x");
  EXPECT_EQ(without_credentials("https://token@h"), "https://h");
}

TEST(CommandLine, HasNoSecrets) {
  const auto shown = [](const std::vector<std::string>& command) {
    return scrubbed_command(command);
  };
  EXPECT_EQ(shown({"dtctl", "run", "--env", "HF_TOKEN=abc", "--", "train"}),
            "dtctl run --env 'HF_TOKEN=***' -- train");
  EXPECT_EQ(shown({"x", "--password", "p w", "--user", "ada"}), "x --password '***' --user ada");
  EXPECT_EQ(shown({"x", "--api-key=abc"}), "x '--api-key=***'");
  EXPECT_EQ(shown({"x", "--set", "environment.environment_variables=[A_SECRET=b, C=d]"}),
            "x --set 'environment.environment_variables=[A_SECRET=***, C=d]'");
  EXPECT_EQ(shown({"x", "--db", "postgresql://u:p@h/d"}), "x --db postgresql://h/d");
  EXPECT_EQ(shown({"x", "{\"password\": \"p\", \"lr\": 1}"}),
            "x '{\"password\": \"***\", \"lr\": 1}'");
}

TEST(CommandLine, KeepsWhatOnlySoundsLikeASecret) {
  EXPECT_EQ(scrubbed_command({"x", "--token-file", "a.token", "--set", "max_tokens=128"}),
            "x --token-file a.token --set max_tokens=128");
  EXPECT_EQ(scrubbed_command({"x", "it's", ""}), "x 'it'\\''s' ''");
}

}  // namespace
}  // namespace dt::client
