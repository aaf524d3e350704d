// First come, first served: requests start in queue order, and whatever does not fit holds all
// behind it. With `backfill` (EASY, Lifka 1995) those behind may pass where they do not delay the
// first: they end before it could start, or leave it the slots it will start on. That needs run
// times (SlotRequest::expected); a request without one is taken to run for ever.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

Scheduled schedule_by_fifo(const PoolState& pool, bool backfill);

}  // namespace dt::core
