#include "agent/remains.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

#include "agent/files.h"
#include "base/cat.h"

namespace dt::agent {

namespace {

constexpr int wait_ms = 100;

// The whole of "NAME=value\0NAME=value\0…".
bool has_variable(std::string_view environment, std::string_view wanted) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == wanted) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

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

bool belongs(pid_t pid, const AllocationId& allocation, const AgentId& agent) {
  const auto environment = read_file(cat("/proc/", pid, "/environ"));
  return environment.ok() && has_variable(*environment, cat("DT_ALLOCATION_ID=", allocation)) &&
         has_variable(*environment, cat("DT_AGENT_ID=", agent));
}

void wait_for_end(const Fd& process) {
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  ::poll(&end, 1, wait_ms);
}

}  // namespace

int clear_remains(const AllocationId& allocation, const AgentId& agent,
                  const std::stop_token& stop) {
  int killed = 0;
  while (!stop.stop_requested()) {
    std::vector<Fd> dying;
    for (const pid_t pid : processes()) {
      // The descriptor first, so that what is looked at is what is killed.
      Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
      if (!process.is_open() || !belongs(pid, allocation, agent)) continue;
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
      dying.push_back(std::move(process));
    }
    if (dying.empty()) return killed;
    killed += static_cast<int>(dying.size());
    for (const Fd& process : dying) wait_for_end(process);
  }
  return killed;
}

}  // namespace dt::agent
