// The scheduler of a pool: one pure function of what is known, whichever policy the pool has. The
// caller performs the answer and asks again whenever something has changed, or at look_again.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

Scheduled schedule(const PoolState& pool);

const char* to_text(SchedulerKind kind);
const char* to_text(FitPolicy policy);
std::optional<SchedulerKind> scheduler_kind_of(const std::string& text);
std::optional<FitPolicy> fit_policy_of(const std::string& text);

}  // namespace dt::core
