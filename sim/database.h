// The master's database in maps: what is committed stays, whatever dies. It executes the same plans
// as the real store: a batch of the loop by compare-and-set, an ingest in one transaction. Reads
// are open to the checkers. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/master/commit.h"
#include "core/master/ingest.h"
#include "core/master/rows.h"

namespace dt::sim {

struct Rows {
  core::ClusterRow cluster{.cluster_id = "simulated"};
  std::map<ExperimentId, core::ExperimentRow> experiments;
  std::map<TrialId, core::TrialRow> trials;
  std::map<AllocationId, core::AllocationRow> allocations;
  std::map<CheckpointId, core::CheckpointRow> checkpoints;
  std::map<AgentId, core::AgentRow> agents;
  std::map<ExperimentId, std::vector<core::SearcherEventRow>> searcher_events;
  std::map<ExperimentId, core::SearcherSnapshotRow> snapshots;
  std::map<std::string, core::RequestRow> requests;
  std::map<InboxId, core::InboxRow> inbox;
};

struct PartKey {
  AllocationId allocation;
  CheckpointId checkpoint;
  int part = 0;
  auto operator<=>(const PartKey&) const = default;
};
enum class Stored { yes, damaged, unavailable };

class Database {
 public:
  core::LoopState take_over(const std::string& incarnation);
  const core::LoopState& loop_state() const { return loop_state_; }
  // False: refused, because another batch or another master was first.
  bool commit(const core::LoopState& next, const core::Writes& writes);
  core::Recovered load(Time now) const;

  // What is new of these records, stored; nothing: the allocation is not known.
  std::optional<core::IngestPlan> ingest(AllocationId allocation,
                                         const std::vector<core::Record>& records);
  core::Marks marks(AllocationId allocation) const;
  std::optional<core::InboxRow> store_part(const PartKey& key, bool damaged);

  const Rows& rows() const { return rows_; }
  // It came, whole or not.
  bool was_uploaded(const CheckpointId& id, int part) const { return came_.contains({id, part}); }
  bool has_part(const CheckpointId& id, int part) const { return parts_.contains({id, part}); }

 private:
  void insert(core::InboxRow& row);

  Rows rows_;
  core::LoopState loop_state_;
  std::map<AllocationId, core::Marks> marks_;
  std::set<std::pair<CheckpointId, int>> parts_;
  std::set<std::pair<CheckpointId, int>> came_;
  std::int64_t last_inbox_ = 0;
};

std::string text_of(const core::AllocationRow& row);

}  // namespace dt::sim
