// Determined's priority scheduler (reference/determined.md §5.3; default policy). Pure: nothing is
// changed, the answer says what to start and what to release. Order and tie-breaks: priority, queue
// position, job submission, request time, request id; nodes by score, hash distance, id.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

Scheduled schedule_by_priority(const PoolState& pool);

}  // namespace dt::core
