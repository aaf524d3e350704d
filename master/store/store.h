// The seam between the master and its database. Everything that is durable goes through here; the
// one real implementation is PostgreSQL (postgres_store.h), the other is in tests. Decisions are
// made elsewhere: commit() writes what the brain said, ingest() what core/master/ingest planned.
// Thread rule: commit/load belong to the loop's thread; all else may be called from any thread.
// No function throws. Codes: unavailable (connection lost, retry), unknown (a commit's outcome is
// not known), aborted (conflict, retried inside), not_found, already_exists, internal.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "core/experiment/checkpoint_keep.h"
#include "core/master/commit.h"
#include "core/master/ingest.h"
#include "core/master/rows.h"

namespace dt::master {

struct ExperimentFilter {
  std::vector<std::string> states;  // empty: all
  ExperimentId before;              // page: those with a smaller id; 0: from the newest on
  int limit = 100;
  bool archived = false;  // those too
};

struct TrialFilter {
  ExperimentId experiment;
  int after_number = -1;  // page: trials with a larger number
  int limit = 100;
};

struct SeriesInfo {
  std::int64_t id = 0;
  TrialId trial;
  int rank = 0;
  std::string metric_group;
  std::string name;
  std::int64_t points = 0;  // effective ones
  double last_value = 0;
  std::int64_t last_step = 0;
  double min_value = 0;
  double max_value = 0;
};

// Series of the trials named and of all trials of the experiment.
struct SeriesFilter {
  std::vector<TrialId> trials;
  ExperimentId experiment;
  std::string metric_group;  // empty: all
  std::string name;          // empty: all
};

struct Bucket {
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  double min = 0, max = 0, mean = 0;  // of the finite values; NaN when there are none
  double first = 0, last = 0;
  std::int64_t count = 0;
  std::int64_t non_finite = 0;
  std::int64_t first_time_ms = 0, last_time_ms = 0;
};

struct SeriesQuery {
  std::vector<std::int64_t> series;
  std::optional<std::int64_t> from_step, to_step;
  int buckets = 0;  // of each; 0: raw points, one a bucket
  std::int64_t answer_max = std::numeric_limits<std::int64_t>::max();  // buckets in all
};

struct LogQuery {
  TrialId trial;
  int attempt = 0;
  std::vector<int> ranks;
  std::int64_t after = 0;  // a position of an earlier answer
  std::int64_t tail = 0;
  int limit = 1000;
};
struct StoredLogLine {
  std::int64_t position = 0;
  int attempt = 0;
  core::LogLine line;
};

struct AllocationSummary {  // what ingest and rights need to know of an allocation
  core::IngestFacts facts;
  ExperimentId experiment;
  bool ended = false;
};

struct GrownSeries {
  std::int64_t id = 0;
  std::int64_t points = 0;  // how many it has now, all attempts
};

struct IngestResult {
  TrialId trial;
  ExperimentId experiment;
  core::Marks marks;
  std::vector<core::InboxRow> inbox;  // with ids, for the loop
  std::vector<GrownSeries> grown_series;
};

struct TrialCounts {  // of one experiment
  int all = 0;
  int active = 0;
  int completed = 0;
  int errored = 0;
};

struct StoredSearch {  // of one experiment: the last snapshot and the events after it
  core::ExperimentRow experiment;
  std::optional<core::SearcherSnapshotRow> snapshot;
  std::vector<core::SearcherEventRow> events;
};

// What an attempt's nodes and ranks said of themselves at their start.
struct RunRecord {
  AgentId agent;
  int stream = 0;  // a rank, or a node's own (core::node_stream)
  core::RecordKind kind = core::RecordKind::environment;  // or hello
  Value body;
};
struct RunRecords {
  int attempt = 0;  // 0: there are none
  std::vector<RunRecord> records;  // in order of stream
};

struct User {
  std::string name;
  bool admin = false;
};

struct StoredCheckpoint {
  core::CheckpointFact fact;
  bool is_latest = false;     // of its own trial
  bool is_inherited = false;  // another trial starts from it
};

struct ContextInfo {
  ContextHash hash;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // The loop's part. commit() raises loop_state from batch−1 to batch and writes all rows, or does
  // nothing; `unknown` means: ask loop_state() and core::judge_commit.
  virtual Status commit(const core::LoopState& next, const core::Writes& writes) = 0;
  virtual Result<core::LoopState> loop_state() = 0;
  // Takes over: writes our incarnation with the present batch number.
  virtual Result<core::LoopState> take_over(const std::string& incarnation) = 0;
  virtual Result<core::Recovered> load() = 0;
  // Experiments of these that are there, with all that load() gives of one that lives.
  virtual Result<core::Recovered> load_experiments(const std::vector<ExperimentId>& ids) = 0;

  // The data path, around the core.
  virtual Result<IngestResult> ingest(AllocationId allocation,
                                      const std::vector<core::Record>& records) = 0;
  virtual Result<core::Marks> marks(AllocationId allocation) = 0;
  // Uploaded (or failed) part of a checkpoint: an inbox row with part_stored.
  virtual Result<core::InboxRow> part_stored(AllocationId allocation,
                                             const CheckpointId& checkpoint, int part,
                                             const std::string& failure) = 0;
  virtual Result<AllocationSummary> allocation(AllocationId allocation) = 0;

  // Reads.
  virtual Result<std::vector<core::ExperimentRow>> list_experiments(
      const ExperimentFilter& filter) = 0;  // newest first, with what lists show of the configuration:
                                            // searcher, labels, description, resources
  virtual Result<core::ExperimentRow> experiment(ExperimentId id) = 0;
  virtual Result<StoredSearch> search_of(ExperimentId id) = 0;
  virtual Result<std::vector<core::SearcherEventRow>> search_events(ExperimentId id,
                                                                    std::int64_t after,
                                                                    int limit) = 0;
  virtual Result<std::map<ExperimentId, TrialCounts>> trial_counts(
      const std::vector<ExperimentId>& experiments) = 0;
  virtual Result<std::vector<core::TrialRow>> list_trials(const TrialFilter& filter) = 0;
  virtual Result<core::TrialRow> trial(TrialId id) = 0;
  virtual Result<std::vector<core::AllocationRow>> allocations_of(TrialId trial) = 0;
  virtual Result<std::vector<core::CheckpointRow>> checkpoints_of(TrialId trial) = 0;
  virtual Result<std::vector<core::AgentRow>> list_agents() = 0;
  virtual Result<std::vector<core::AllocationRow>> live_allocations() = 0;
  virtual Result<std::vector<SeriesInfo>> list_series(const SeriesFilter& filter) = 0;
  // In the order asked; resource_exhausted beyond query.answer_max.
  virtual Result<std::vector<std::vector<Bucket>>> series(const SeriesQuery& query) = 0;
  virtual Result<std::vector<StoredLogLine>> logs(const LogQuery& query) = 0;
  // The environment record of an attempt's rank: {"variables": [{name, value, reason}]}.
  virtual Result<Value> environment(TrialId trial, int attempt, int rank) = 0;
  // Of an attempt, or of the latest that has any; and what was said at the submit (null: nothing).
  virtual Result<RunRecords> run_records(TrialId trial, int attempt) = 0;
  virtual Result<Value> provenance(ExperimentId experiment) = 0;
  virtual Result<std::vector<core::ChangeRow>> changes_after(std::int64_t sequence, int limit) = 0;
  virtual Result<std::int64_t> oldest_change() = 0;

  // Users and tokens; a token is stored as the BLAKE2b of its 256 bits.
  virtual Result<User> user_of_token(const std::string& token_hash) = 0;
  // `label`: what people call the token; may be empty.
  virtual Status put_token(const std::string& token_hash, const std::string& user,
                           const std::string& label) = 0;
  virtual Status put_user(const User& user, const std::string& password_hash) = 0;
  virtual Result<std::string> password_hash(const std::string& user) = 0;

  // Contexts and checkpoint blobs: the files are in the data folder, what is known of them is here.
  virtual Status put_context(const ContextInfo& context) = 0;
  virtual Result<ContextInfo> context(const ContextHash& hash) = 0;

  // Deletion (master/deletion.h). erase_rows() takes a piece of what lies below an experiment and says
  // whether more is left; the experiment's own row is the loop's.
  virtual Result<std::vector<ExperimentId>> deleting() = 0;
  enum class Which { all, deleted };
  virtual Result<std::set<std::string>> files_of(ExperimentId experiment, Which checkpoints) = 0;
  // SHA-256 of the files of all checkpoints that are not deleted, announced ones too; `but`: without
  // those of this experiment.
  virtual Result<std::set<std::string>> files_in_use(ExperimentId but) = 0;
  // Ended experiments that are not tidied, and the stored checkpoints of one, in the order of storing.
  virtual Result<std::vector<ExperimentId>> untidy() = 0;
  virtual Result<std::vector<StoredCheckpoint>> stored_checkpoints(ExperimentId experiment) = 0;
  virtual Result<bool> erase_rows(ExperimentId experiment) = 0;

  // Housekeeping: merges small chunks, drops requests and changes past their time.
  virtual Status tidy_up(std::int64_t now_ms) = 0;
};

}  // namespace dt::master
