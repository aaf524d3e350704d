// The laws of checkpoints: what is announced stands in a row, what is uploaded is counted, what has
// all of its parts is stored and stays so, nothing is given up without a reason, and a trial goes
// on from its newest. One thread.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "sim/turn.h"

namespace dt::sim {

class World;

class CheckpointLaws {
 public:
  explicit CheckpointLaws(World& world) : world_(world) {}

  void master_starts(const Rows& rows);
  Breach check(const Turn& turn);

 private:
  using Newest = std::pair<AllocationId, std::int64_t>;  // attempt and step

  Breach newest_breach(const Turn& turn, const core::TrialRow& row) const;
  Breach row_breach(const Turn& turn, const core::CheckpointRow& row);
  Breach state_breach(const Turn& turn, const core::CheckpointRow* was,
                      const core::CheckpointRow& is);
  Breach abandoned(const Turn& turn, const core::CheckpointRow* was,
                   const core::CheckpointRow& is) const;
  Breach heard(const Turn& turn, const core::InboxRow& inbox) const;
  Breach attempts_wait(const Turn& turn) const;

  World& world_;
  std::map<TrialId, Newest> newest_;  // stored
  std::map<AllocationId, std::set<CheckpointId>> pending_;
};

}  // namespace dt::sim
