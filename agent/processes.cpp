#include "agent/processes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "agent/files.h"
#include "base/cat.h"

namespace dt::agent {

std::vector<pid_t> processes() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ptr == name.data() + name.size() && pid != ::getpid()) found.push_back(pid);
  }
  return found;
}

bool is_alive(pid_t pid) {
  const auto stat = read_file(cat("/proc/", pid, "/stat"));
  if (!stat.ok()) return false;
  const std::size_t name_end = stat->rfind(") ");  // a name may have anything in it
  return name_end != stat->npos && name_end + 2 < stat->size() && (*stat)[name_end + 2] != 'Z';
}

std::string program_of(pid_t pid) {
  const auto name = read_file(cat("/proc/", pid, "/comm"));
  return name.ok() ? name->substr(0, name->find('\n')) : "";
}

bool has_variable(pid_t pid, const std::string& assignment) {
  const auto text = read_file(cat("/proc/", pid, "/environ"));
  std::string_view environment = text.ok() ? std::string_view(*text) : std::string_view();
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == assignment) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

}  // namespace dt::agent
