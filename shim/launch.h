// dt-launch: runs N ranks of a program on this host without any master, with the shim's own code:
// the same environment, socket, end of peers and kill of the tree. What ranks print goes to the
// terminal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "core/agent/messages.h"

namespace dt::shim {

struct LaunchOptions {
  int nproc = 1;
  std::map<std::string, std::string> env;  // set by --env; wins over everything
  std::string dir;                         // for spool and checkpoints; empty: removed at the end
  std::optional<Duration> timeout;
  bool metrics = false;
  bool help = false;
  std::vector<std::string> command;
  bool operator==(const LaunchOptions&) const = default;
};

Result<LaunchOptions> parse_launch_arguments(const std::vector<std::string>& arguments);
extern const char* const launch_usage;

struct LaunchPlace {
  int port = 0;
  std::string checkpoint_dir;
  std::string allocation;
};
// The whole environment of one rank; `inherited` is ours.
std::map<std::string, std::string> launch_environment(const LaunchOptions& options,
                                                      const LaunchPlace& place, int rank,
                                                      std::map<std::string, std::string> inherited);

// What the program exits with: the first failing rank's code, 75 if the ranks were preempted.
int launch_exit_code(const core::AllocationStatus& status);

int run_launch(const LaunchOptions& options);

}  // namespace dt::shim
