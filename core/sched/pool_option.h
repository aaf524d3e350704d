// A pool as the operator writes it, for dt-master's option --pool:
//
//   default                                      priority, best fit
//   gpus:scheduler=fair_share,fit=fragmentation
//   big:preemption,heterogeneous
//   small:scheduler=attained,level_minutes=5,promote_hours=72,min_run_s=60
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "core/sched/request.h"

namespace dt::core {

Result<std::pair<std::string, PoolConfig>> parse_pool(const std::string& text);

}  // namespace dt::core
