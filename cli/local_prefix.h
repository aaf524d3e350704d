// Where the local cluster finds its programs and what ranks read: the prefix with the harness's
// package and the Python client. A root agent's ranks run as an unprivileged user, so when that
// user cannot reach the prefix (a clone in root's home) it is copied below the data folder.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::cli {

// Beside dtctl itself.
std::string program_path(const std::string& name);

// The prefix to give to agents, staged below `dir` if need be.
Result<std::string> stage_prefix(const std::string& dir);

}  // namespace dt::cli
