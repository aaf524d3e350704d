// Where trials go: builds what the scheduler sees of a pool and grants what it says. An agent takes
// part while it is connected and nothing is alive on it that we gave up or never knew, so that a
// slot is never held twice (P2). Limits of an experiment are kept here (P7).
#pragma once

#include <string>
#include <vector>

#include "core/master/book.h"

namespace dt::core {

// Can the gang ever run here? An error names the slots asked, the largest gang and the pool.
Status check_resources(const Book& book, const ResourcesConfig& resources);
bool has_agents(const Book& book, const std::string& pool);

// Slots of the agent that no allocation holds, in the agent's order.
std::vector<std::string> free_slots(const Book& book, const AgentId& agent);

void schedule_pools(Step& step);

std::string why_waiting(const Book& book, TrialId trial);

}  // namespace dt::core
