// Where a gang goes, for one request at a time (reference/determined.md §5.1). Schedulers that
// place many use Nodes (nodes.h), which this wraps. A gang is placed whole or not at all.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/sched/request.h"

namespace dt::core {

// The whole gang, or empty when it does not fit now.
std::vector<Placement> find_fit(const SlotRequest& request,
                                const std::vector<AgentCapacity>& agents, const PoolConfig& config);

// Several wholly idle nodes, each with all its slots; equal sizes or, if allowed, any.
std::vector<Placement> find_dedicated_fit(const SlotRequest& request,
                                          const std::vector<AgentCapacity>& agents,
                                          const PoolConfig& config);

// Best and worst fit; higher is better.
double fit_score(FitPolicy policy, int task_slots, const AgentCapacity& agent);

// LE64(md5(task)) − LE64(md5(agent)), wrapping; smaller is nearer.
std::uint64_t hash_distance(std::string_view task, std::string_view agent);
std::uint64_t hash_of(std::string_view id);  // LE64(md5(id))

// Could this request ever run on these nodes, were all of them idle?
bool fits_when_idle(const SlotRequest& request, const std::vector<AgentCapacity>& agents,
                    const PoolConfig& config);
std::vector<AgentCapacity> all_idle(std::vector<AgentCapacity> agents);

// The slots that a node offers to the scheduler: draining as many as are used, disabled none.
int offered_slots(const AgentCapacity& agent);

}  // namespace dt::core
