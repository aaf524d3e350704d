#include "client/credentials.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace dt::client {
namespace {

class CredentialsFile : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("DT_MASTER");
    unsetenv("DT_TOKEN");
    std::string pattern = testing::TempDir() + "credentials-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/deeper/credentials";
  }
  void TearDown() override {
    unsetenv("DT_MASTER");
    unsetenv("DT_TOKEN");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(CredentialsFile, ComesBackAsItWasSaved) {
  const Credentials saved{.address = "127.0.0.1:8081",
                          .http_address = "127.0.0.1:8080",
                          .user = "admin",
                          .token = "a = b",
                          .tls_ca = "/etc/ca.pem"};
  ASSERT_TRUE(save_credentials(saved, path_).ok());
  EXPECT_EQ(load_credentials(path_).value(), saved);
}

TEST_F(CredentialsFile, IsForItsOwnerAlone) {
  ASSERT_TRUE(save_credentials({.address = "h:1", .token = "t"}, path_).ok());
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(CredentialsFile, TheEnvironmentOfARankWins) {
  ASSERT_TRUE(save_credentials({.address = "h:1", .token = "t"}, path_).ok());
  setenv("DT_MASTER", "h:2", 1);
  setenv("DT_TOKEN", "rank", 1);
  EXPECT_EQ(load_credentials(path_).value().address, "h:2");
  EXPECT_EQ(load_credentials(path_).value().token, "rank");
}

TEST_F(CredentialsFile, ThatIsMissingTellsTheWayOut) {
  EXPECT_EQ(load_credentials(path_).status().text(),
            cat("no master is known: ", path_,
                " cannot be read (dtctl login, or dtctl local up for a cluster on this machine)"));
}

TEST_F(CredentialsFile, WithoutATokenIsNamed) {
  ASSERT_TRUE(save_credentials({.address = "h:1"}, path_).ok());
  EXPECT_EQ(load_credentials(path_).status().message(), cat(path_, " names no token"));
}

}  // namespace
}  // namespace dt::client
