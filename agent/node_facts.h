// What this node is, for people who compare runs: host, system, processor, driver, GPUs. Read once,
// from /proc and /etc; needs no NVIDIA library.
#pragma once

#include <string>

#include "base/value.h"

namespace dt::agent {

// [{name, value}], in the order to show them; what cannot be read is left out. Tests give a folder
// of their own for `root`.
Value node_facts(const std::string& host, const std::string& root = "");

}  // namespace dt::agent
