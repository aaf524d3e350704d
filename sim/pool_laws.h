// The laws of the pools: limits are kept (P7), who is first and fits has started (P6), nobody makes
// room for somebody less important. Looked at now and then, since a breach lasts. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/agent_laws.h"
#include "sim/attempt_laws.h"
#include "sim/turn.h"

namespace dt::sim {

class World;

class PoolLaws {
 public:
  PoolLaws(World& world, const AgentLaws& agents, const AttemptLaws& attempts)
      : world_(world), agents_(agents), attempts_(attempts) {}

  void master_starts(const Rows& rows);
  // After the rows were taken over.
  Breach check(const Turn& turn, const Rows& rows);

 private:
  using Rank = std::tuple<std::int64_t, ExperimentId, TrialId>;  // smaller is served first
  struct Pool {
    std::map<AgentId, std::int64_t> free;
    std::vector<Rank> waiting;
    std::int64_t held = 0;
    std::int64_t largest_free = 0;
  };

  void note(const Rows& rows, TrialId trial);
  Breach withdrawal_breach(const Turn& turn, const Rows& rows, const core::AllocationRow& row);
  std::int64_t slots_held(const Rows& rows, ExperimentId experiment) const;
  Breach limits(const Rows& rows, const core::AllocationRow& row) const;
  Breach first_has_started(const Rows& rows, Time now);
  Pool pool_of(const Rows& rows, const std::string& name, Time now) const;
  bool may_start(const Rows& rows, TrialId trial, Time now) const;  // of one without an attempt
  Rank rank_of(const Rows& rows, const core::TrialRow& trial) const;

  World& world_;
  const AgentLaws& agents_;
  const AttemptLaws& attempts_;
  std::set<TrialId> active_;  // that could hold slots
  std::int64_t turns_ = 0;
};

}  // namespace dt::sim
