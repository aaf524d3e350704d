// A folder of the test's own, gone with it. Everybody may pass through it, as ranks must.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace dt::agent {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = testing::TempDir() + "agent-XXXXXX";
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    ::chmod(path_.c_str(), 0755);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace dt::agent
