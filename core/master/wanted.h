// What the master wants of each agent, derived anew from the rows whenever it is said: an answer
// is never a delta, so losing one loses nothing (DESIGN §4).
#pragma once

#include <vector>

#include "core/master/book.h"

namespace dt::core {

// Sorted by allocation. Shares that are over are not in it, nor those that were given up: an agent
// that still holds one kills it.
std::vector<Wanted> wanted_of(const Book& book, const AgentId& agent, Time now);

// Answers the heartbeats of this step, and tells agents whose wanted set has changed.
void answer_agents(Step& step);

}  // namespace dt::core
