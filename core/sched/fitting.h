// Where a gang goes: the three tries of reference/determined.md §5.1 (one node that holds it all;
// wholly idle nodes of one size; any idle nodes when heterogeneous fits are allowed). A gang is
// placed whole or not at all.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/sched/request.h"

namespace dt::core {

// The whole gang, or empty when it does not fit now.
std::vector<Placement> find_fit(const SlotRequest& request,
                                const std::vector<AgentCapacity>& agents, const PoolConfig& config);

// The second and third try alone: several wholly idle nodes, each with all its slots.
std::vector<Placement> find_dedicated_fit(const SlotRequest& request,
                                          const std::vector<AgentCapacity>& agents,
                                          const PoolConfig& config);

double fit_score(FitPolicy policy, int task_slots, const AgentCapacity& agent);  // higher is better

// LE64(md5(task)) − LE64(md5(agent)), wrapping; smaller is nearer.
std::uint64_t hash_distance(std::string_view task, std::string_view agent);

// Could this request ever run on these nodes, were all of them idle and enabled?
bool fits_when_idle(const SlotRequest& request, const std::vector<AgentCapacity>& agents,
                    const PoolConfig& config);

}  // namespace dt::core
