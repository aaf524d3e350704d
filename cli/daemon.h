// Programs that dtctl starts in the background and finds again later. A daemon is known by its pid
// and its start time, so a reused pid is never taken for it, and never signalled.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::cli {

struct Daemon {
  std::string name;  // "master", "agent-1"
  int pid = 0;
  std::int64_t start_ticks = 0;  // of /proc/<pid>/stat
  std::map<std::string, std::string> options = {};  // that people chose: {"--slots", "4"}
  bool operator==(const Daemon&) const = default;
};

struct DaemonCommand {
  std::string name;
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // on top of ours
  std::string log;                                 // appended to
};

struct StartedDaemon {
  Daemon daemon;
  std::string ready;  // the line "ready …" of its log; empty: it ended, or took too long
};

// In a session of its own, with stdin closed and its output in the log. Waits until it says there
// that it is ready, or ends.
Result<StartedDaemon> start_daemon(const DaemonCommand& command, std::chrono::seconds patience);

// Runs a program to its end, its output in the log; internal unless it ends with 0.
Status run_program(const DaemonCommand& command);

bool is_alive(const Daemon& daemon);
// SIGTERM, then SIGKILL after `patience`; returns when it is gone.
Status end_daemon(const Daemon& daemon, std::chrono::seconds patience);
// Processes whose command line has all these words; for what a dead daemon left.
std::vector<Daemon> find_processes(const std::vector<std::string>& words);

Value to_value(const Daemon& daemon);
Daemon daemon_from(const Value& value);
std::string tail_of(const std::string& file, std::size_t lines);

}  // namespace dt::cli
