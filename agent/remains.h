// Kills what a dead shim left: every process of this node whose environment says that it belongs to
// the allocation and to this agent. Ranks die with their shim (PDEATHSIG); this ends what they
// started. Blocks until a look at all processes finds none.
#pragma once

#include <stop_token>
#include <string>

#include "base/id.h"

namespace dt::agent {

// How many were killed.
int clear_remains(const AllocationId& allocation, const AgentId& agent,
                  const std::stop_token& stop);

}  // namespace dt::agent
