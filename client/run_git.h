// Runs git in a folder and gives what it printed. No shell; standard input is empty; it is killed
// when it takes longer than its time or prints more than its limit. Blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace dt::client {

struct GitAnswer {
  std::string output;
  bool cut = false;  // there was more
};

// Nothing when there is no git, it fails, or it takes too long.
std::optional<GitAnswer> run_git(const std::string& folder, std::vector<std::string> arguments,
                                 std::size_t bytes_max,
                                 std::chrono::milliseconds limit = std::chrono::seconds(10));

}  // namespace dt::client
