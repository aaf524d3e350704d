#include "sim/pool_laws.h"

#include <algorithm>

#include "core/sched/schedule.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

constexpr std::int64_t turns_per_look = 64;
constexpr Duration timer_slack{600'000};  // a loop that is stopped, or waits for its database, is late

std::int64_t int_of(const Value& value, std::int64_t fallback) {
  return value.is_int() ? value.as_int() : fallback;
}

const Value& resources_of(const Rows& rows, ExperimentId id) {
  return rows.experiments.at(id).config["resources"];
}

std::int64_t slots_of(const Rows& rows, ExperimentId id) {
  return int_of(resources_of(rows, id)["slots_per_trial"], 1);
}

}  // namespace

void PoolLaws::master_starts(const Rows& rows) {
  active_.clear();
  for (const auto& [id, row] : rows.trials) note(rows, id);
}

void PoolLaws::note(const Rows& rows, TrialId trial) {
  const bool active = rows.trials.at(trial).state == TrialState::active;
  active ? void(active_.insert(trial)) : void(active_.erase(trial));
}

Breach PoolLaws::check(const Turn& turn, const Rows& rows) {
  for (const TrialRow& row : turn.writes().trials) note(rows, row.id);
  for (const AllocationRow& row : turn.writes().allocations) {
    if (Breach breach = limits(rows, row); !breach.empty()) return breach;
    if (Breach breach = withdrawal_breach(turn, rows, row); !breach.empty()) return breach;
  }
  if (++turns_ % turns_per_look != 0) return "";
  return first_has_started(rows, turn.now);
}

std::int64_t PoolLaws::slots_held(const Rows& rows, ExperimentId experiment) const {
  std::int64_t held = 0;
  for (const AllocationId id : attempts_.open()) {
    const AllocationRow& row = rows.allocations.at(id);
    if (row.experiment != experiment) continue;
    for (const AllocationNode& node : row.nodes) {
      held += node.released ? 0 : std::ssize(node.slot_ids);
    }
  }
  return held;
}

Breach PoolLaws::limits(const Rows& rows, const AllocationRow& row) const {
  const Value& most = resources_of(rows, row.experiment)["max_slots"];
  if (!most.is_int()) return "";
  const std::int64_t held = slots_held(rows, row.experiment);
  if (held <= most.as_int()) return "";
  return cat("P7: experiment ", row.experiment, " holds ", held, " slots of ", most.as_int());
}

PoolLaws::Rank PoolLaws::rank_of(const Rows& rows, const TrialRow& trial) const {
  const Value& resources = resources_of(rows, trial.experiment);
  const auto& pools = world_.options.master.pools;
  const PoolConfig& pool = pools.at(resources["resource_pool"].as_string());
  const bool by_priority = pool.scheduler == SchedulerKind::priority;
  const std::int64_t priority = rows.experiments.at(trial.experiment).priority;
  return {by_priority ? priority : 0, trial.experiment, trial.id};
}

bool PoolLaws::may_start(const Rows& rows, TrialId id, Time now) const {
  const TrialRow& trial = rows.trials.at(id);
  if (trial.state != TrialState::active || attempts_.backs_off(id, now, Duration(0))) return false;
  const Value& most = resources_of(rows, trial.experiment)["max_slots"];
  const std::int64_t slots = slots_of(rows, trial.experiment);
  return !most.is_int() || slots_held(rows, trial.experiment) + slots <= most.as_int();
}

PoolLaws::Pool PoolLaws::pool_of(const Rows& rows, const std::string& name, Time now) const {
  Pool pool;
  for (const auto& [id, agent] : rows.agents) {
    if (agent.pool != name || !agents_.takes_part(id, rows)) continue;
    pool.free[id] = std::count_if(agent.slots.begin(), agent.slots.end(),
                                  [](const Slot& slot) { return slot.fault.empty(); });
  }
  for (const AllocationId id : attempts_.open()) {
    const AllocationRow& row = rows.allocations.at(id);
    const bool ours = resources_of(rows, row.experiment)["resource_pool"] == Value(name);
    for (const AllocationNode& node : row.nodes) {
      if (node.released) continue;
      pool.held += ours ? std::ssize(node.slot_ids) : 0;
      const auto agent = pool.free.find(node.agent);
      if (agent == pool.free.end()) continue;
      for (const Slot& slot : rows.agents.at(node.agent).slots) {
        const bool held =
            std::find(node.slot_ids.begin(), node.slot_ids.end(), slot.id) != node.slot_ids.end();
        agent->second -= held && slot.fault.empty() ? 1 : 0;
      }
    }
  }
  for (const auto& [id, free] : pool.free) pool.largest_free = std::max(pool.largest_free, free);
  std::set<TrialId> holding;
  for (const AllocationId id : attempts_.open()) holding.insert(rows.allocations.at(id).trial);
  for (const TrialId id : active_) {
    const TrialRow& trial = rows.trials.at(id);
    if (holding.contains(id)) continue;
    if (resources_of(rows, trial.experiment)["resource_pool"] != Value(name)) continue;
    const bool counts = slots_of(rows, trial.experiment) > 0 && may_start(rows, id, now);
    if (counts) pool.waiting.push_back(rank_of(rows, trial));
  }
  std::sort(pool.waiting.begin(), pool.waiting.end());
  return pool;
}

// P6: who is first in the queue and fits has started; in an idle pool somebody has.
Breach PoolLaws::first_has_started(const Rows& rows, Time now) {
  for (const auto& [name, config] : world_.options.master.pools) {
    const Pool pool = pool_of(rows, name, now);
    if (pool.waiting.empty()) continue;
    const bool in_order = config.scheduler == SchedulerKind::priority ||
                          config.scheduler == SchedulerKind::fifo ||
                          config.scheduler == SchedulerKind::backfill;
    if (!in_order && pool.held > 0) continue;
    const auto& [priority, experiment, trial] = pool.waiting.front();
    if (slots_of(rows, experiment) > pool.largest_free) continue;
    if (attempts_.backs_off(trial, now, timer_slack)) continue;
    return cat("P6: trial ", trial, " is first in pool ", name, " (",
               core::to_text(config.scheduler),
               ") and fits, but waits: ", world_.master.brain().why_waiting(trial));
  }
  return "";
}

// An attempt that nobody paused and that is whole makes room for somebody who is served before it.
Breach PoolLaws::withdrawal_breach(const Turn& turn, const Rows& rows, const AllocationRow& row) {
  const AllocationRow* was = Turn::find(turn.before.allocations, row.id);
  const bool withdrawn = was != nullptr && was->preempt_deadline_ms == 0 &&
                         row.preempt_deadline_ms > 0 && row.state < AllocationState::settling;
  if (!withdrawn || turn.event == nullptr) return "";
  const TrialRow& trial = rows.trials.at(row.trial);
  if (trial.state != TrialState::active) return "";
  for (const AllocationNode& node : row.nodes) {
    if (!node.exits.empty() || !node.failure.empty()) return "";
  }
  const Value& pool = resources_of(rows, row.experiment)["resource_pool"];
  const PoolConfig& config = world_.options.master.pools.at(pool.as_string());
  if (config.scheduler == SchedulerKind::fair_share) return "";
  if (config.scheduler == SchedulerKind::attained) return "";
  if (config.scheduler != SchedulerKind::priority || !config.preemption) {
    return cat("allocation ", row.id, " is preempted in a pool that never preempts");
  }
  const Pool now = pool_of(rows, pool.as_string(), turn.now);
  const Rank own = rank_of(rows, trial);
  const bool for_better =
      std::any_of(now.waiting.begin(), now.waiting.end(), [&](const Rank& other) {
        return std::get<0>(other) < std::get<0>(own) ||
               (std::get<0>(other) == std::get<0>(own) && std::get<1>(other) < std::get<1>(own));
      });
  return for_better || slots_of(rows, row.experiment) == 0
             ? ""
             : cat("allocation ", row.id, " is preempted for nobody more important");
}

}  // namespace dt::sim
