// One step of the master's brain as the laws see it: what it heard, what it wrote, and the rows as
// they were before. The rows after it are looked up through it. Plain data.
#pragma once

#include <map>
#include <vector>

#include "core/master/master.h"
#include "sim/database.h"

namespace dt::sim {

struct Turn {
  Time now;
  const core::MasterEvent* event = nullptr;  // null: it recovers
  const core::Effects& effects;
  const Rows& before;
  const std::vector<core::InboxRow>& inbox;  // that it reads

  const core::Writes& writes() const { return effects.writes; }
  template <class Event>
  const Event* heard() const {
    return event == nullptr ? nullptr : std::get_if<Event>(event);
  }

  const core::ExperimentRow* after(ExperimentId id) const {
    return find(writes().experiments, before.experiments, id);
  }
  const core::TrialRow* after(TrialId id) const { return find(writes().trials, before.trials, id); }
  const core::AllocationRow* after(AllocationId id) const {
    return find(writes().allocations, before.allocations, id);
  }
  const core::CheckpointRow* after(const CheckpointId& id) const {
    return find(writes().checkpoints, before.checkpoints, id);
  }
  const core::AgentRow* after(const AgentId& id) const {
    return find(writes().agents, before.agents, id);
  }

  template <class Key, class Row>
  static const Row* find(const std::map<Key, Row>& rows, const Key& id) {
    const auto found = rows.find(id);
    return found == rows.end() ? nullptr : &found->second;
  }

 private:
  template <class Key, class Row>
  static const Row* find(const std::vector<Row>& changed, const std::map<Key, Row>& rows,
                         const Key& id) {
    for (const Row& row : changed) {
      if (row.id == id) return &row;
    }
    return find(rows, id);
  }
};

// A law's verdict: what is broken, or empty.
using Breach = std::string;

}  // namespace dt::sim
