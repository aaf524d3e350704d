#include "agent/remains.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "agent/processes.h"
#include "base/cat.h"
#include "base/fd.h"

namespace dt::agent {

namespace {

constexpr int wait_ms = 100;

bool belongs(pid_t pid, const AllocationId& allocation, const AgentId& agent) {
  return has_variable(pid, cat("DT_ALLOCATION_ID=", allocation)) &&
         has_variable(pid, cat("DT_AGENT_ID=", agent));
}

bool has_ended(const Fd& process, int within_ms) {
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, within_ms) == 1;
}

// With its group, which the kernel ends as one: processes that fork as fast as they are killed one
// by one could go on for ever. What the shim started shares a group with nothing else.
void kill_process(const Fd& process, pid_t pid) {
  const pid_t group = ::getpgid(pid);
  const bool is_theirs = group > 1 && group != ::getpgrp() && !has_ended(process, 0);
  if (is_theirs) ::kill(-group, SIGKILL);
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
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
      kill_process(process, pid);
      dying.push_back(std::move(process));
    }
    if (dying.empty()) return killed;
    killed += static_cast<int>(dying.size());
    for (const Fd& process : dying) has_ended(process, wait_ms);
  }
  return killed;
}

}  // namespace dt::agent
