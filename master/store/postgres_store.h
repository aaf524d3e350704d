// The Store on PostgreSQL (≥ 13), private or the user's. open() connects, applies the migrations
// that are embedded in this program and refuses a database that is newer. The loop has a connection
// of its own, so a flood of records cannot hold up a commit; all else shares a small pool. A lost
// connection is answered by `unavailable` and replaced at the next call, so the store survives a
// restart of PostgreSQL. Thread rule: as store.h.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/store/group.h"
#include "master/store/store.h"

namespace dt::master {

class Database;

struct PostgresOptions {
  std::string connection;  // "postgresql://…" or "host=… dbname=…"
  int connections = 12;    // besides the loop's
  std::string folder{};    // where it lies, if on this machine, for what is said when it is full
};

// Batches of records whose commit has an unknown outcome: from which marks on they are in doubt. A
// batch that was stored after all left inbox rows that nobody was handed, so those records are
// asked for once more and the next ingest hands the rows out.
class Doubts {
 public:
  void add(AllocationId allocation, const std::vector<core::Record>& records);
  core::Marks of(AllocationId allocation) const;
  void clear(AllocationId allocation);

 private:
  mutable std::mutex mutex_;
  std::map<AllocationId, core::Marks> marks_;  // guarded by mutex_
};

struct IngestCall {  // one call, which lasts longer
  AllocationId allocation;
  const std::vector<core::Record>* records = nullptr;
  core::Marks in_doubt{};
};

class PostgresStore final : public Store {
 public:
  static Result<std::unique_ptr<PostgresStore>> open(const PostgresOptions& options);
  ~PostgresStore() override;

  // Of the oldest transaction that runs now: a database that hangs or is slow shows here.
  std::chrono::seconds longest_run() const;

  Status commit(const core::LoopState& next, const core::Writes& writes) override;
  Result<core::LoopState> loop_state() override;
  Result<core::LoopState> take_over(const std::string& incarnation) override;
  Result<core::Recovered> load() override;
  Result<core::Recovered> load_experiments(const std::vector<ExperimentId>& ids) override;

  Result<IngestResult> ingest(AllocationId allocation,
                              const std::vector<core::Record>& records) override;
  Result<core::Marks> marks(AllocationId allocation) override;
  Result<core::InboxRow> part_stored(AllocationId allocation, const CheckpointId& checkpoint,
                                     int part, const std::string& failure) override;
  Result<AllocationSummary> allocation(AllocationId allocation) override;

  Result<std::vector<core::ExperimentRow>> list_experiments(
      const ExperimentFilter& filter) override;
  Result<core::ExperimentRow> experiment(ExperimentId id) override;
  Result<StoredSearch> search_of(ExperimentId id) override;
  Result<std::vector<core::SearcherEventRow>> search_events(ExperimentId id, std::int64_t after,
                                                            int limit) override;
  Result<std::map<ExperimentId, TrialCounts>> trial_counts(
      const std::vector<ExperimentId>& experiments) override;
  Result<std::vector<core::TrialRow>> list_trials(const TrialFilter& filter) override;
  Result<core::TrialRow> trial(TrialId id) override;
  Result<std::vector<core::AllocationRow>> allocations_of(TrialId trial) override;
  Result<std::vector<core::CheckpointRow>> checkpoints_of(TrialId trial) override;
  Result<std::vector<core::AgentRow>> list_agents() override;
  Result<std::vector<core::AllocationRow>> live_allocations() override;
  Result<std::vector<SeriesInfo>> list_series(const SeriesFilter& filter) override;
  Result<std::vector<std::vector<Bucket>>> series(const SeriesQuery& query) override;
  Result<std::vector<StoredLogLine>> logs(const LogQuery& query) override;
  Result<Value> environment(TrialId trial, int attempt, int rank) override;
  Result<RunRecords> run_records(TrialId trial, int attempt) override;
  Result<Value> provenance(ExperimentId experiment) override;
  Result<std::vector<core::ChangeRow>> changes_after(std::int64_t sequence, int limit) override;
  Result<std::int64_t> oldest_change() override;

  Result<User> user_of_token(const std::string& token_hash) override;
  Status put_token(const std::string& token_hash, const std::string& user,
                   const std::string& label) override;
  Status put_user(const User& user, const std::string& password_hash) override;
  Result<std::string> password_hash(const std::string& user) override;

  Status put_context(const ContextInfo& context) override;
  Result<ContextInfo> context(const ContextHash& hash) override;

  Result<std::vector<ExperimentId>> deleting() override;
  Result<std::set<std::string>> files_of(ExperimentId experiment, Which checkpoints) override;
  Result<std::set<std::string>> files_in_use(ExperimentId but) override;
  Result<std::vector<ExperimentId>> untidy() override;
  Result<std::vector<StoredCheckpoint>> stored_checkpoints(ExperimentId experiment) override;
  Result<bool> erase_rows(ExperimentId experiment) override;

  Status tidy_up(std::int64_t now_ms) override;

 private:
  using Ingests = Group<IngestCall, Result<IngestResult>>;

  PostgresStore(std::unique_ptr<Database> loop, std::unique_ptr<Database> pool);
  std::vector<Result<IngestResult>> ingest_all(const Ingests::Items& items);

  std::unique_ptr<Database> loop_;  // one connection: commit, loop_state, take_over, load
  std::unique_ptr<Database> pool_;
  Doubts doubts_;
  Ingests ingests_;
};

}  // namespace dt::master
