#include "core/sched/attained.h"

#include <algorithm>

#include "core/sched/fitting.h"
#include "core/sched/priority.h"
#include "core/sched/queue.h"

namespace dt::core {
namespace {

constexpr double ms_per_hour = 3'600'000;

double slots_of(const SlotRequest& request) {
  return request.slots * request.slot_milli / static_cast<double>(whole_slot);
}

double hours_of(const SlotRequest& request, Duration served) {
  return slots_of(request) * static_cast<double>(served.count()) / ms_per_hour;
}

// How long it must run to have had so many slot hours.
Duration service_of(const SlotRequest& request, double hours) {
  return Duration(static_cast<std::int64_t>(hours / slots_of(request) * ms_per_hour) + 1);
}

}  // namespace

AttainedLevels::AttainedLevels(const PoolState& pool)
    : options_(pool.config.attained), now_(pool.now) {
  int slots = 0;
  for (const AgentCapacity& agent : pool.agents) slots += offered_slots(agent);
  for (const double hours : options_.level_pool_hours) slot_hours_.push_back(hours * slots);
}

int AttainedLevels::at(const SlotRequest& request) const {
  const Duration present = now_ - request.since;
  const bool running = is_running(request);
  const auto level_after = [&](Duration served) {
    const auto end =
        std::upper_bound(slot_hours_.begin(), slot_hours_.end(), hours_of(request, served));
    return static_cast<int>(end - slot_hours_.begin());
  };
  if (!running && lifts(present)) return 0;
  const int level = level_after(running ? request.attained + present : request.attained);
  return running && lifts(request.waited) ? std::min(level, level_after(present)) : level;
}

Time AttainedLevels::changes_at(const SlotRequest& request) const {
  const Duration present = now_ - request.since;
  if (!is_running(request)) {
    const bool can_rise = options_.promote_after.count() > 0 && !lifts(present) && at(request) > 0;
    return can_rise ? request.since + options_.promote_after : never;
  }
  Time next = never;
  const auto consider = [&](Duration served, double hours) {
    const Duration left = service_of(request, hours) - served;
    if (left.count() > 0) next = std::min(next, now_ + left);
  };
  for (const double hours : slot_hours_) {
    consider(request.attained + present, hours);
    if (lifts(request.waited)) consider(present, hours);
  }
  if (is_protected(request)) next = std::min(next, request.since + options_.min_run);
  return next;
}

bool AttainedLevels::is_protected(const SlotRequest& request) const {
  return is_running(request) && now_ - request.since < options_.min_run;
}

bool AttainedLevels::lifts(Duration wait) const {
  return options_.promote_after.count() > 0 && wait >= options_.promote_after;
}

Scheduled schedule_by_attained(const PoolState& pool) {
  const AttainedLevels ladder(pool);
  std::vector<RequestLevel> levels;
  Time look_again = never;
  bool somebody_waits = false;
  for (const SlotRequest& request : pool.requests) {
    const bool zero_slot = request.slots == 0;
    levels.push_back({.level = ladder.at(request), .protected_run = ladder.is_protected(request)});
    if (!zero_slot) look_again = std::min(look_again, ladder.changes_at(request));
    somebody_waits = somebody_waits || is_pending(request);
  }
  Scheduled answer = schedule_by_levels(pool, levels);
  if (somebody_waits) answer.look_again = look_again;
  return answer;
}

}  // namespace dt::core
