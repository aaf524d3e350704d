#include "shim/out_of_memory.h"

#include <fstream>
#include <optional>

namespace dt::shim {
namespace {

// Of "name number" lines.
std::optional<std::int64_t> count_of(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (std::int64_t number = 0; file >> name >> number;) {
    if (name == "oom_kill") return number;
  }
  return {};
}

// "0::/user.slice/dt" of /proc/self/cgroup
std::string cgroup(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "";
}

}  // namespace

std::int64_t memory_kills(const std::string& root) {
  const auto own = count_of(root + "/sys/fs/cgroup" + cgroup(root) + "/memory.events");
  return own ? *own : count_of(root + "/proc/vmstat").value_or(0);
}

}  // namespace dt::shim
