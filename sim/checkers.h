// The promises of DESIGN §4 as functions over the truth of the simulated world: what ranks live,
// what they said, what was acknowledged, what was committed. A violation ends the run with one
// line. Nothing here is known to any brain. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/agent/messages.h"
#include "core/master/master.h"
#include "sim/database.h"
#include "sim/people.h"

namespace dt::sim {

class World;
class Node;

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

class Checkers {
 public:
  explicit Checkers(World& world) : world_(world) {}

  // What happens on nodes.
  void node_ready(AllocationId allocation, int node_rank, int nodes);
  void rank_spawned(const Spawned& spawned);
  void rank_ended(int node, const RankId& id, int code);
  void said(const RankId& id, std::int64_t rank_seq, core::RecordKind kind, const Value& body);
  void appended(const RankId& id, std::int64_t rank_seq, std::int64_t seq);
  void acknowledged(const RankId& id, std::int64_t rank_seq);
  void agent_holds(const Node& node, const std::vector<core::AllocationStatus>& statuses);
  void agent_said(const Node& node, const std::vector<core::AllocationStatus>& statuses);
  void lease_told(const Node& node, AllocationId allocation, Time deadline);  // in world time
  void resumed(AllocationId allocation, const core::Assignment& assignment);

  // What the master hears, commits and answers.
  void master_heard(int node);
  void before_commit(const core::Writes& writes);
  void after_commit(const core::Writes& writes);
  void replied(const std::string& request, const Result<Value>& result);
  void acknowledged(const People::Request& request, ExperimentId experiment);

  // When everything is over.
  void at_end();

 private:
  struct Said {
    core::RecordKind kind = core::RecordKind::metrics;
    Value body;
    std::int64_t seq = 0;  // in the spool; 0: never written
  };
  struct Speech {            // of one rank
    std::vector<Said> said;  // by rank_seq, from 1
    std::int64_t acknowledged = 0;
  };
  struct Live {
    int node = 0;
    std::string slot;
    TrialId trial;
  };
  struct Origin {  // of a metric value
    AllocationId allocation;
    std::int64_t step = 0;
  };

  void slot_held_once(const Spawned& spawned);                    // P2
  void released_slots_are_free(const core::AllocationRow& row);   // P2
  void gang_was_ready(const Spawned& spawned);                    // P3
  void peers_end(int node, AllocationId allocation, Time since);  // P3
  bool ends_its_gang(int node, AllocationId allocation) const;
  void trained_once(const Spawned& spawned);  // P4
  void nothing_lives_past_its_end(const Node& node, const std::vector<core::AllocationStatus>&);
  void consumed(const core::Writes& writes);
  void heard_in_order(const core::Writes& writes);  // the searcher's metrics
  void heard_all(const core::Writes& writes);
  void judged_after_its_metrics(const core::AllocationRow& row);  // exits
  void begun_rightly(const core::AllocationRow& row);             // P1 of kill and pause
  void metrics_are_stored();                                      // P1
  void decisions_were_in_inbox();                                 // P1
  void requests_had_one_effect();                                 // P8
  void search_equals_trials(ExperimentId experiment);             // and P5
  bool is_open_before(AllocationId allocation, int rank) const;
  bool goes_on_after(AllocationId allocation, const core::Writes& writes) const;
  void fail(const std::string& what);

  World& world_;
  std::map<RankId, Live> live_;
  std::map<AllocationId, std::set<int>> ready_;
  std::map<AllocationId, int> nodes_of_;
  std::map<RankId, Speech> speech_;
  std::map<double, Origin> origins_;
  std::map<int, Time> master_heard_;  // each node's last word
  std::set<StoredRecord> consumed_;
  std::map<TrialId, std::int64_t> heard_step_;
  std::map<std::string, std::string> replies_;
  std::map<ExperimentId, Time> killed_;  // acknowledged
  std::int64_t commits_ = 0;
};

}  // namespace dt::sim
