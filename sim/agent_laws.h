// The laws of agents and their links, and what is remembered of them by other means than the
// brain's: who is linked, when it last spoke, what it was told. Holds the master's half of P4 (an
// agent is given up when its lease is over, never before) and that every answer is the wanted set
// that the rows say. One thread.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sim/turn.h"

namespace dt::sim {

class World;

class AgentLaws {
 public:
  explicit AgentLaws(World& world) : world_(world) {}

  void master_starts(Time now, const Rows& rows);
  // Before the laws of attempts ask.
  void hear(const Turn& turn);
  Breach check(const Turn& turn, const std::set<AllocationId>& open);

  // Is there a reason now to take the agent's share of every allocation for lost?
  bool may_give_up(const AgentId& agent) const { return lost_.contains(agent); }
  bool takes_part(const AgentId& agent, const Rows& rows) const;
  Time next_deadline() const;

 private:
  struct Memory {
    std::int64_t link = 0;
    std::int64_t session = 0;
    std::int64_t last_heartbeat = 0;
    Time last_word{};
    bool waited_for = true;
    std::set<AllocationId> holds;  // alive, by its last word
    std::vector<std::pair<AllocationId, core::Order>> told;
  };

  void hear_join(const Turn& turn, const core::AgentJoined& event);
  void hear_word(const Turn& turn, const core::AgentSpoke& event);
  void hear_silence(const Turn& turn);
  bool holds_anything(const AgentId& agent, const Rows& rows) const;
  Duration give_up_after() const;
  Breach answers_are_due(const Turn& turn) const;
  Breach answer_breach(const Turn& turn, const core::SendAnswer& send,
                       const std::set<AllocationId>& open);
  Breach wanted_breach(const Turn& turn, const core::Wanted& wanted, const AgentId& agent) const;
  Breach silent_is_given_up(const Turn& turn, const std::set<AllocationId>& open) const;

  World& world_;
  std::map<AgentId, Memory> agents_;
  std::set<AgentId> lost_;  // in this turn
  std::set<AgentId> due_;   // an answer, in this turn
  bool is_stale_ = false;   // what was heard in this turn
  bool is_refused_ = false;
};

}  // namespace dt::sim
