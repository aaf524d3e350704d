// Starts a shim so that it outlives the agent: a session of its own, adopted by init. Any thread.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/status.h"

namespace dt::agent {

// Returns a pidfd of the shim once it runs. Its own words go to <folder>/shim.log.
Result<Fd> launch_shim(const std::string& program, const std::string& folder);

// The folder of this executable.
std::string own_folder();

}  // namespace dt::agent
