// Determined's max-min fair share (reference/determined.md §5.2): each job is offered its share of
// the pool's slots, by weight and no more than it can use or may hold. What a job holds beyond its
// offer is preempted; what it is offered beyond that starts.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

// What may start and what must go, by index. Each start fits on the nodes as they are, but not
// necessarily all of them together.
struct FairShareDecision {
  std::vector<std::size_t> start;
  std::vector<std::size_t> release;
};
FairShareDecision decide_fair_share(const PoolState& pool);

// The same with every start placed; what does not fit beside the others waits.
Scheduled schedule_by_fair_share(const PoolState& pool);

}  // namespace dt::core
