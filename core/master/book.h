// The master's memory: the durable rows, what of them changed in this step, and the few facts that
// need not survive a restart (links, silences, deadlines that start again). Every change of a row
// goes through edit(), so that collect() can tell exactly what to write and what Watch shall hear.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/master/master.h"
#include "core/master/rows.h"

namespace dt::core {

struct TrialMemory {
  TrialRow row;
  AllocationId live;         // its allocation that has not ended
  int launch_failures = 0;   // in a row, of attempts that never ran, by infrastructure
  int withdrawals = 0;       // in a row, of attempts that had to make room before they ran
  Time not_before{};         // after either the next attempt waits this long
  std::string last_failure;  // the last of them
  std::string waiting;       // what the scheduler said

  // What a policy that counts service looks at (core/sched/attained.h). It begins anew when the
  // master does: a job is then young again for a while, which harms nobody.
  bool holds_slots = false;
  Time since{};       // that it holds slots, or that it does not
  Duration waited{};  // before it got the slots that it holds
  Duration served{};  // in earlier attempts
};

struct AllocationMemory {
  AllocationRow row;
  Time since{};         // of the present state
  Time upload_moved{};  // the last sign of life of an upload
};

struct AgentMemory {
  AgentRow row;
  std::uint64_t hash = 0;  // of its id, by which schedulers break ties
  std::int64_t link = 0;  // 0: none
  Time last_word{};
  bool waited_for = true;  // its silence has not yet lasted too long
  std::int64_t last_heartbeat = 0;
  std::set<AllocationId> strays;  // still alive on it, though we gave them up or never knew them
  std::vector<std::pair<AllocationId, Order>> told;  // by the last answer on this link
  std::optional<std::int64_t> answer_to;  // a heartbeat of this step
};

class Book {
 public:
  explicit Book(MasterOptions given) : options(std::move(given)) {
    for (const auto& [name, pool] : options.pools) must_schedule(name);
  }
  void start(const ClusterRow& loaded) { cluster = cluster_before_ = loaded; }

  ExperimentRow& edit(ExperimentId id);
  TrialRow& edit(TrialId id);
  AllocationRow& edit(AllocationId id);
  CheckpointRow& edit(const CheckpointId& id);
  AgentRow& edit(const AgentId& id);
  AgentRow& add(AgentMemory agent);
  TrialRow& add(TrialMemory trial);
  AllocationRow& add(AllocationMemory allocation);
  CheckpointRow& add(CheckpointRow checkpoint);
  Experiment& add(Experiment experiment);

  TrialMemory* find(TrialId id);
  AllocationMemory* find(AllocationId id);
  Experiment* find(ExperimentId id);
  AgentMemory* find(const AgentId& id);
  TrialMemory& at(TrialId id);
  Experiment& at(ExperimentId id);

  // The rows that differ from what they were before the step, and a change for each.
  void collect(Writes& writes);
  // Watch hears of a row that goes.
  void tell_gone(ExperimentId id) { gone_.push_back({"experiment", to_text(id), id}); }
  void tell_gone(const CheckpointId& id, ExperimentId of) {
    gone_.push_back({"checkpoint", to_text(id), of});
  }
  // Drops from memory what is over; `writes`: all that changed in this step.
  void forget_ended(const Writes& writes);

  const MasterOptions options;
  ClusterRow cluster;
  std::map<ExperimentId, Experiment> experiments;
  std::map<TrialId, TrialMemory> trials;
  std::map<AllocationId, AllocationMemory> allocations;
  std::map<AgentId, std::set<AllocationId>> shares;  // of these, by the agents that have one
  std::map<CheckpointId, CheckpointRow> checkpoints;
  std::set<ExperimentId> time_limited;  // searcher.max_wall_time_s is set
  std::set<CheckpointId> inherited;  // that some trial takes from another
  std::map<AgentId, AgentMemory> agents;
  std::map<std::string, RequestRow> requests;
  std::deque<std::string> request_order;  // oldest first

  // What the end of the step has to look at.
  std::set<AllocationId> changed_allocations;
  std::set<ExperimentId> changed_experiments;
  std::set<AgentId> agents_to_answer;
  std::set<CheckpointId> perhaps_superseded;
  // A pool is scheduled when something that its scheduler looks at has changed, or at its time.
  void must_schedule(const std::string& pool) { pools_to_schedule.insert(pool); }
  void must_schedule(ExperimentId id);
  std::set<std::string> pools_to_schedule;
  std::map<std::string, Time> look_again;  // when time alone may change what a scheduler says

 private:
  void forget(ExperimentId id);

  std::map<ExperimentId, std::optional<ExperimentRow>> experiments_before_;
  std::map<TrialId, std::optional<TrialRow>> trials_before_;
  std::map<AllocationId, std::optional<AllocationRow>> allocations_before_;
  std::map<CheckpointId, std::optional<CheckpointRow>> checkpoints_before_;
  std::map<AgentId, std::optional<AgentRow>> agents_before_;
  struct Gone {
    const char* kind;
    std::string id;
    ExperimentId experiment;
  };
  std::vector<Gone> gone_;
  ClusterRow cluster_before_;
};

// What one step has in its hands.
struct Step {
  Book& book;
  Time now;
  Effects& effects;
};

}  // namespace dt::core
