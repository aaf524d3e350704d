// The laws of an attempt: how it begins, how its order rises, when its nodes are released, when it
// is judged and what becomes of its trial then. The end is judged here a second time, from
// docs/decisions/0004 and from what the shims recorded. One thread.
#pragma once

#include <map>
#include <set>

#include "sim/agent_laws.h"
#include "sim/turn.h"
#include "sim/words.h"

namespace dt::sim {

class World;

// What 0004 says of an attempt whose nodes are all settled.
enum class EndOf {
  completed,
  stopped,
  canceled,
  errored,
  invalid,
  preempted,
  infrastructure,
  failed
};
EndOf judge(const core::TrialRow& before, bool stopped, const core::AllocationRow& row);
// Everything that will be known of it is known.
bool is_settled(const core::AllocationRow& row);

class AttemptLaws {
 public:
  AttemptLaws(World& world, const Words& words, const AgentLaws& agents)
      : world_(world), words_(words), agents_(agents) {}

  void master_starts(Time now, const Rows& rows);
  Breach check(const Turn& turn);
  const std::set<AllocationId>& open() const { return open_; }  // that have not ended
  bool backs_off(TrialId trial, Time now, Duration slack) const;
  Time next_deadline(const Rows& rows) const;

 private:
  struct Memory {
    Time since{};  // of its state
    Time upload_moved{};
  };
  struct Failures {  // of attempts that never ran, in a row
    int count = 0;
    int withdrawals = 0;
    Time not_before{};
  };

  void note_uploads(const Turn& turn);
  Time deadline_of(const core::AllocationRow& row) const;
  Breach begins(const Turn& turn, const core::AllocationRow& row);
  Breach begins_rightly(const Turn& turn, const core::AllocationRow& row) const;
  Breach slots_are_free(const Turn& turn, const core::AllocationRow& row) const;
  Breach changed(const Turn& turn, const core::AllocationRow& was, const core::AllocationRow& is);
  Breach node_changed(const Turn& turn, const core::AllocationRow& row,
                      const core::AllocationNode& was, const core::AllocationNode& is) const;
  Breach order_breach(const Turn& turn, const core::AllocationRow& was,
                      const core::AllocationRow& is) const;
  Breach kill_has_reason(const Turn& turn, const core::AllocationRow& was,
                         const core::AllocationRow& is) const;
  Breach deadline_breach(const Turn& turn, const core::AllocationRow& was,
                         const core::AllocationRow& is) const;
  Breach moves_on(const Turn& turn, const core::AllocationRow& row) const;
  Breach obeys_its_trial(const Turn& turn, const core::TrialRow& trial) const;
  Breach settled(const Turn& turn, const core::AllocationRow& row);
  Breach trial_after(const Turn& turn, EndOf end, const core::AllocationRow& row);
  void must_wait(TrialId trial, int times, Time now);
  Breach failure_counts(const Turn& turn, const core::AllocationRow& row);
  Breach unread(const Turn& turn, const core::AllocationRow& row) const;
  Breach deadlines_are_met(const Turn& turn) const;

  World& world_;
  const Words& words_;
  const AgentLaws& agents_;
  std::set<AllocationId> open_;
  std::map<AllocationId, Memory> memory_;
  std::map<TrialId, Failures> failures_;
};

}  // namespace dt::sim
