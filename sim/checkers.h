// The promises of DESIGN §4 over the truth of the simulated world, in one place for the world to
// call: what ranks live (processes.h), what they said (words.h), what the master's rows say
// (ledger.h). A violation ends the run with one line. Nothing here is known to any brain. One
// thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/agent/relay.h"
#include "sim/ledger.h"
#include "sim/people.h"
#include "sim/processes.h"
#include "sim/words.h"

namespace dt::sim {

class World;
class Node;

class Checkers {
 public:
  explicit Checkers(World& world);

  // What happens on nodes.
  void node_ready(AllocationId allocation, int node_rank, int nodes);
  void rank_spawned(const Spawned& spawned, std::weak_ptr<Rank> rank);
  void rank_ended(const Node& node, const RankId& id, int code);
  void said(const RankId& id, std::int64_t rank_seq, core::RecordKind kind, const Value& body);
  void appended(AllocationId allocation, const core::Record& record);
  void acknowledged(const RankId& id, std::int64_t rank_seq, const Spool& spool);
  void agent_stepped(const Node& node, const core::relay::Event& event,
                     const core::relay::Actions& actions);
  void lease_told(const Node& node, AllocationId allocation, Time deadline);  // in world time
  void resumed(AllocationId allocation, const core::Assignment& assignment);
  void scrapped(const Node& node);

  // What the master hears, decides, commits and answers.
  void master_heard(int node);
  void master_starts(Time now);
  void master_died();
  void stepped(Time now, const core::MasterEvent* event, const core::Effects& effects);
  void committed(const core::Writes& writes);
  bool is_consumed(InboxId id) const { return consumed_.contains(id); }
  void ingested(AllocationId allocation, const core::Marks& before,
                const std::vector<core::Record>& records, const core::IngestPlan& plan);
  void replied(const People::Request& request, const Result<Value>& result);
  void answered(const People::Request& request);

  void sweep();   // now and then
  void at_end();  // when everything is over

  const Words& words() const { return words_; }

 private:
  void obeys(const Node& node, const core::Answer& answer, const core::relay::Actions& actions);
  void requests_had_one_effect();
  void kills_were_obeyed();

  World& world_;
  Processes processes_;
  Words words_;
  Ledger ledger_;
  std::set<InboxId> consumed_;        // by steps that are not committed yet
  std::map<int, Time> master_heard_;  // each node's last word
  std::map<std::string, std::string> replies_;
  std::set<ExperimentId> killed_;  // acknowledged
};

}  // namespace dt::sim
