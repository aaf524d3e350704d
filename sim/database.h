// The master's database in maps: what is committed stays, whatever dies. It executes the same plans
// as the real store: a batch of the loop by compare-and-set, an ingest in one transaction. Reads
// are open to the checkers. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
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

// (allocation, rank, group, name, step) -> how often it is stored
using PointKey = std::tuple<AllocationId, int, std::string, std::string, std::int64_t>;

struct StoredRecord {
  AllocationId allocation;
  int stream = 0;
  std::int64_t seq = 0;
  auto operator<=>(const StoredRecord&) const = default;
};

class Database {
 public:
  core::LoopState take_over(const std::string& incarnation);
  const core::LoopState& loop_state() const { return loop_state_; }
  // False: refused, because another batch or another master was first.
  bool commit(const core::LoopState& next, const core::Writes& writes);
  core::Recovered load(Time now) const;

  struct Ingested {
    core::Marks marks;
    std::vector<core::InboxRow> inbox;
  };
  std::optional<Ingested> ingest(AllocationId allocation, const std::vector<core::Record>& records);
  core::Marks marks(AllocationId allocation) const;
  std::optional<core::InboxRow> part_stored(AllocationId allocation, const CheckpointId& id,
                                            int part);

  const Rows& rows() const { return rows_; }
  const std::map<PointKey, int>& points() const { return points_; }
  bool was_in_inbox(const StoredRecord& record) const { return inbox_seen_.contains(record); }
  bool has_blob(const CheckpointId& id, int part) const { return blobs_.contains({id, part}); }

 private:
  void insert(core::InboxRow& row);

  Rows rows_;
  core::LoopState loop_state_;
  std::map<AllocationId, core::Marks> marks_;
  std::map<PointKey, int> points_;
  std::map<StoredRecord, int> inbox_seen_;
  std::map<std::pair<CheckpointId, int>, int> blobs_;
  std::int64_t last_inbox_ = 0;
};

// The state of a brain as text, for comparison (NaN equals NaN in it); without what a restart is
// allowed to change.
std::string text_of(const core::Recovered& state);
std::string text_of(const core::AllocationRow& row);

}  // namespace dt::sim
