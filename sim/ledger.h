// The master's rows as its brain tells them, step by step, ahead of the database; and the laws that
// hold for every step. After a crash it goes on from what was committed. What the laws need beyond
// rows (who is linked, since when a state lasts) is remembered here by other means than the
// brain's. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/agent_laws.h"
#include "sim/attempt_laws.h"
#include "sim/checkpoint_laws.h"
#include "sim/database.h"
#include "sim/pool_laws.h"
#include "sim/search_laws.h"
#include "sim/turn.h"

namespace dt::sim {

class World;

class Ledger {
 public:
  explicit Ledger(World& world);

  void master_starts(Time now);
  void stepped(Time now, const core::MasterEvent* event, const core::Effects& effects);
  void committed(const core::Writes& writes);
  void master_died();
  const Rows& rows() const { return rows_; }

 private:
  void hold(const Turn& turn, const Breach& breach);
  std::vector<core::InboxRow> inbox_of(const core::MasterEvent* event) const;
  void check(const Turn& turn);
  void take(const core::Writes& writes);
  Breach timer_breach(const Turn& turn);

  World& world_;
  Rows rows_;
  // Written by steps since the last commit.
  std::set<ExperimentId> experiments_;
  std::set<TrialId> trials_;
  std::set<AllocationId> allocations_;
  std::set<CheckpointId> checkpoints_;
  std::set<AgentId> agents_;
  Time armed_ = never;  // the wake-up that the master's loop holds
  std::int64_t turns_ = 0;

  AgentLaws agent_laws_;
  AttemptLaws attempt_laws_;
  CheckpointLaws checkpoint_laws_;
  SearchLaws search_laws_;
  PoolLaws pool_laws_;
};

}  // namespace dt::sim
