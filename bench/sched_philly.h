// A queue of rigid gangs on a simulated clock, scheduled by core/sched as the master would.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sched/request.h"

namespace dt::bench {

struct QueuedJob {
  Time submitted{};
  Duration runs{};  // on all its slots
  int slots = 1;
};

struct QueueResult {
  double mean_hours = 0;  // from submission to completion
  double p99_hours = 0;
  std::int64_t preemptions = 0;
  int partial_gangs = 0;  // starts with fewer slots than asked for, or more than were free
  std::int64_t passes = 0;
  double pass_us = 0;
};

// `jobs` by time of submission. `lost` is the work that each preemption costs a job.
QueueResult run_queue(const std::vector<QueuedJob>& jobs,
                      const std::vector<core::AgentCapacity>& agents,
                      const core::PoolConfig& config, Duration lost);

}  // namespace dt::bench
