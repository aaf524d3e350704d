// Where trials go: builds what the scheduler sees of a pool and grants what it says. An agent takes
// part while it is connected and nothing is alive on it that we gave up or never knew, so that a
// slot is never held twice (P2). Limits of an experiment are kept here (P7).
#pragma once

#include <string>
#include <vector>

#include "core/master/book.h"
#include "core/sched/request.h"

namespace dt::core {

// Can the gang ever run here? An error names the slots asked, the largest gang and the pool.
Status check_resources(const Book& book, const ResourcesConfig& resources);
// Could the pool, if all were idle, run the trial without the nodes that are excluded for it?
bool has_place_besides(const Book& book, const TrialRow& trial);
bool has_agents(const Book& book, const std::string& pool);

// Slots of the agent that no allocation holds, in the agent's order.
std::vector<std::string> free_slots(const Book& book, const AgentId& agent);

// Those in which something has changed, until nothing changes.
void schedule_pools(Step& step);
// For tests: what one more look at all pools would change though nobody said that something changed,
// in words; empty: nothing.
std::string what_was_missed(Step& step);

// What the scheduler is told of all trials of an experiment; a trial adds its own id and turn.
SlotRequest request_of(const Experiment& experiment);
int slots_held(const Book& book, const Experiment& experiment);

// Agents and slots that the pool knows and cannot use now, in words; empty: all are well.
std::string absent_agents(const Book& book, const std::string& pool);
std::string why_waiting(const Book& book, TrialId trial);
// `absent`: what absent_agents() says of the trial's pool.
std::string why_waiting(const Book& book, const TrialMemory& trial, const std::string& absent);

}  // namespace dt::core
