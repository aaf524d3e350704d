#include "core/sched/schedule.h"

#include "core/sched/attained.h"
#include "core/sched/fair_share.h"
#include "core/sched/fifo.h"
#include "core/sched/priority.h"

namespace dt::core {

Scheduled schedule(const PoolState& pool) {
  switch (pool.config.scheduler) {
    case SchedulerKind::priority: return schedule_by_priority(pool);
    case SchedulerKind::fair_share: return schedule_by_fair_share(pool);
    case SchedulerKind::fifo: return schedule_by_fifo(pool, false);
    case SchedulerKind::backfill: return schedule_by_fifo(pool, true);
    case SchedulerKind::attained: return schedule_by_attained(pool);
  }
  return {};
}

const char* to_text(SchedulerKind kind) {
  switch (kind) {
    case SchedulerKind::priority: return "priority";
    case SchedulerKind::fair_share: return "fair_share";
    case SchedulerKind::fifo: return "fifo";
    case SchedulerKind::backfill: return "backfill";
    case SchedulerKind::attained: return "attained";
  }
  return "";
}

const char* to_text(FitPolicy policy) {
  switch (policy) {
    case FitPolicy::best: return "best";
    case FitPolicy::worst: return "worst";
    case FitPolicy::random: return "random";
    case FitPolicy::fgd: return "fgd";
    case FitPolicy::fragmentation: return "fragmentation";
  }
  return "";
}

std::optional<SchedulerKind> scheduler_kind_of(const std::string& text) {
  for (const auto kind : {SchedulerKind::priority, SchedulerKind::fair_share, SchedulerKind::fifo,
                          SchedulerKind::backfill, SchedulerKind::attained}) {
    if (text == to_text(kind)) return kind;
  }
  return std::nullopt;
}

std::optional<FitPolicy> fit_policy_of(const std::string& text) {
  for (const auto policy : {FitPolicy::best, FitPolicy::worst, FitPolicy::random, FitPolicy::fgd,
                            FitPolicy::fragmentation}) {
    if (text == to_text(policy)) return policy;
  }
  return std::nullopt;
}

}  // namespace dt::core
