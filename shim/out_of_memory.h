// How often the kernel has killed a process for want of memory: of this process's cgroup if it
// counts (version 2), else of the machine. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace dt::shim {

// Tests give a folder of their own for `root`.
std::int64_t memory_kills(const std::string& root = "");

}  // namespace dt::shim
