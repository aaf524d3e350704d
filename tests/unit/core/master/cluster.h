// A cluster around the master's brain for scenario tests: a store of rows, a clock that only tests
// move, and agents that follow the wanted set at once. After every step it checks that what was
// written is what the brain holds, so a restart at any point starts from the truth.
//
//   Cluster cluster("2x4 1x8");           // n1 and n2 with 4 slots, n3 with 8
//   cluster.submit(random_search(2, 4));  // 2 trials of 4 slots each
//   EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:4; 2 ACTIVE runs n2:4");
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/master/master.h"

namespace dt::core {

// The store: rows by key, as PostgreSQL would hold them.
struct Rows {
  ClusterRow cluster{.cluster_id = "c1"};
  std::map<ExperimentId, ExperimentRow> experiments;
  std::map<TrialId, TrialRow> trials;
  std::map<AllocationId, AllocationRow> allocations;
  std::map<CheckpointId, CheckpointRow> checkpoints;
  std::map<AgentId, AgentRow> agents;
  std::map<ExperimentId, std::vector<SearcherEventRow>> events;
  std::map<ExperimentId, SearcherSnapshotRow> snapshots;
  std::map<std::string, RequestRow> requests;
  std::vector<ChangeRow> changes;
  std::map<InboxId, InboxRow> inbox;

  void write(const Writes& writes);
  Recovered load(Time now) const;
  Recovered load_ended(const std::vector<ExperimentId>& ids) const;

 private:
  template <class IsWanted>
  void add_experiments(Recovered& loaded, const IsWanted& is_wanted) const;
};

// What two recovered states must have in common, as text: NaN equals NaN in it.
std::string text_of(Recovered state);

struct FakeAgent {
  AgentHello hello;
  std::int64_t link = 0;  // 0: cut off
  std::int64_t session = 0;
  std::int64_t heartbeats = 0;
  std::map<AllocationId, AllocationStatus> held;
  std::vector<SlotFault> slot_faults;
  std::map<AllocationId, Assignment> assignments;
  std::map<AllocationId, Order> obeyed;
  std::vector<Wanted> wanted;
  bool obeys = true;  // else orders are only noted
  std::string refusal;
};

// Configurations in YAML, as users write them; `more` is appended.
ParsedConfig configured(const std::string& searcher, int slots, const std::string& more = "");
ParsedConfig random_search(int trials, int slots, const std::string& more = "");
ParsedConfig single(int slots, const std::string& more = "");
ParsedConfig grid(int trials, const std::string& more = "");  // of one slot each
ParsedConfig halving(int trials, int concurrent);  // rungs at 1, 2 and 4 steps, divisor 2

class Cluster {
 public:
  explicit Cluster(const std::string& shape, MasterOptions options = {});

  // Requests; the text of what was answered.
  std::string submit(const ParsedConfig& config, const std::string& request_id = "",
                     bool paused = false);
  std::string order(int experiment, Verb verb, const std::string& request_id = "");
  std::string order(const std::vector<int>& experiments, Verb verb);
  std::string go_on(int experiment, Overrides overrides = {}, std::vector<TrialId> trials = {});
  std::string edit(int experiment, ExperimentPatch patch);
  std::string end_deletion(int experiment, const std::string& failure = "");
  std::string forget(const std::string& agent);
  std::string set_state(const std::string& agent, AgentState state);
  std::string set_slots(const std::string& agent, std::vector<std::string> slots, bool enabled,
                        bool drain = false);

  // What ranks and nodes do.
  void report(int trial, std::int64_t step, const Value& loss);
  void log_match(int trial, int rank, const std::string& policy, const std::string& action);
  void progress(int trial, double fraction);
  void report_values(int trial, std::int64_t step, Value values);
  void checkpoint(int trial, const std::string& id, std::int64_t step, int part = 0, int parts = 1);
  void checkpoint_of(AllocationId allocation, const std::string& id, std::int64_t step,
                     int part = 0, int parts = 1);  // of any attempt, however late
  void upload(int trial, const std::string& id, int part = 0, const std::string& failure = "");
  void exit(int trial, int rank, int code, int signal = 0);  // heartbeat and record
  void exit_all(int trial, int code);
  void exit_heard(int trial, int rank, int code, int signal = 0);  // the heartbeat alone
  void exit_read(int trial, int rank);                             // the record alone
  void fail(int trial, int node, const std::string& failure, bool infrastructure);
  void lose(int trial, int node);  // its shim died

  // Agents.
  FakeAgent& agent(const std::string& id) { return agents_.at({id}); }
  void join(const std::string& id);
  void cut(const std::string& id);  // the master notices
  void beat(const std::string& id, bool leaving = false);
  void reboot(const std::string& id);

  void wait(Duration duration);  // timers fire on the way
  void restart();                // the master: a new brain from the rows; agents join again
  void step(const MasterEvent& event);

  // Text for comparison.
  std::string trials() const;
  std::string experiments() const;
  std::string outcomes() const;  // of all attempts: "1: completed; 2: failed: …"
  std::string message(int trial) const { return rows.trials.at({trial}).message; }
  std::string wanted(const std::string& agent) const;  // "1.1 prepare; 1.2 run"
  const AllocationRow& attempt(int trial) const;       // its last one

  Rows rows;
  Time now = from_ms(1'000'000);
  std::unique_ptr<Master> master;
  std::string last_reply;

 private:
  void perform(const std::vector<MasterAction>& actions);
  void obey(FakeAgent& agent);
  void follow(FakeAgent& agent, const Wanted& wanted);
  void end_ranks(FakeAgent& agent, AllocationId id, int code, int signal, Order ordered);
  void check() const;
  FakeAgent& node_agent(int trial, int node);
  void put_in_inbox(InboxRow row);
  int node_of(int trial, int rank) const;

  MasterOptions options_;
  std::map<AgentId, FakeAgent> agents_;
  std::int64_t last_link_ = 0;
  std::int64_t last_inbox_ = 0;
  Time wake_at_ = never;
  std::map<std::pair<AllocationId, int>, std::int64_t> seqs_;
  std::vector<AgentId> to_obey_;
  bool busy_ = false;
};

}  // namespace dt::core
