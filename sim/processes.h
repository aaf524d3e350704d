// The truth about processes: which rank lives where, as no brain knows it. Holds P2 (a slot has one
// owner), P3 (a gang starts whole; one dead rank ends the others), P4 (a trial is trained once, and
// not past its lease or an order). One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/agent/messages.h"
#include "core/master/rows.h"

namespace dt::sim {

class World;
class Node;
class Rank;

struct RankId {
  AllocationId allocation;
  int rank = 0;
  auto operator<=>(const RankId&) const = default;
};

struct Spawned {
  int node = 0;
  std::string slot;
  RankId id;
  TrialId trial;
};

class Processes {
 public:
  explicit Processes(World& world) : world_(world) {}

  void node_ready(AllocationId allocation, int node_rank, int nodes);
  void spawned(const Spawned& spawned, std::weak_ptr<Rank> rank);
  void ended(const Node& node, const RankId& id, int code);
  void agent_says(const Node& node, const std::vector<core::AllocationStatus>& statuses);
  void released(const core::AllocationRow& row);
  void sweep();
  bool any_lives(AllocationId allocation) const;

 private:
  struct Live {
    int node = 0;
    std::string slot;
    TrialId trial;
    std::weak_ptr<Rank> rank;
  };
  using Slot = std::pair<int, std::string>;  // of a node

  void slot_held_once(const Spawned& spawned);
  void gang_was_ready(const Spawned& spawned);
  void trained_once(const Spawned& spawned);
  void peers_end(int node, AllocationId allocation, Time since);
  bool ends_its_gang(int node, AllocationId allocation) const;
  bool is_hanging(const Live& live) const;
  void ends_in_time(const RankId& id, const Live& live);

  World& world_;
  std::map<RankId, Live> live_;
  std::map<Slot, AllocationId> owners_;
  std::map<TrialId, std::map<AllocationId, int>> attempts_;  // ranks that live
  std::map<AllocationId, std::set<int>> ready_;
  std::map<RankId, Time> hung_;  // last seen so
};

}  // namespace dt::sim
