// Determined's priority scheduler (reference/determined.md §5.3; default policy). Pure: nothing is
// changed, the answer says what to start and what to release. Order and tie-breaks: priority, queue
// position, job submission, request time, request id; nodes by score, hash distance, id.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

Scheduled schedule_by_priority(const PoolState& pool);

// The order in which waiting requests are looked at.
bool is_served_before(const SlotRequest& a, const SlotRequest& b);

struct RequestLevel {
  int level = 0;               // lower first
  bool protected_run = false;  // not to be preempted now
};
// The same with levels that another policy has given to each request; always preempting, and of the
// victims only those are asked to go that are needed.
Scheduled schedule_by_levels(const PoolState& pool, const std::vector<RequestLevel>& levels);

}  // namespace dt::core
