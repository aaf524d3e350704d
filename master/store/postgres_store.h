// The Store on PostgreSQL (≥ 13), private or the user's. open() connects, applies the migrations
// that are embedded in this program and refuses a database that is newer. The loop has a connection
// of its own, so a flood of records cannot hold up a commit; all else shares a small pool. A lost
// connection is answered by `unavailable` and replaced at the next call, so the store survives a
// restart of PostgreSQL. Thread rule: as store.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/store/store.h"

namespace dt::master {

class Database;

struct PostgresOptions {
  std::string connection;  // "postgresql://…" or "host=… dbname=…"
  int connections = 12;    // besides the loop's
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

class PostgresStore final : public Store {
 public:
  static Result<std::unique_ptr<PostgresStore>> open(const PostgresOptions& options);
  ~PostgresStore() override;

  Status commit(const core::LoopState& next, const core::Writes& writes) override;
  Result<core::LoopState> loop_state() override;
  Result<core::LoopState> take_over(const std::string& incarnation) override;
  Result<core::Recovered> load() override;

  Result<IngestResult> ingest(AllocationId allocation,
                              const std::vector<core::Record>& records) override;
  Result<core::Marks> marks(AllocationId allocation) override;
  Result<core::InboxRow> part_stored(AllocationId allocation, const CheckpointId& checkpoint,
                                     int part, const std::string& failure) override;
  Result<AllocationSummary> allocation(AllocationId allocation) override;

  Result<std::vector<core::ExperimentRow>> list_experiments(const std::vector<std::string>& states,
                                                            ExperimentId before,
                                                            int limit) override;
  Result<core::ExperimentRow> experiment(ExperimentId id) override;
  Result<std::map<ExperimentId, TrialCounts>> trial_counts(
      const std::vector<ExperimentId>& experiments) override;
  Result<std::vector<core::TrialRow>> list_trials(const TrialFilter& filter) override;
  Result<core::TrialRow> trial(TrialId id) override;
  Result<std::vector<core::AllocationRow>> allocations_of(TrialId trial) override;
  Result<std::vector<core::CheckpointRow>> checkpoints_of(TrialId trial) override;
  Result<std::vector<core::AgentRow>> list_agents() override;
  Result<std::vector<core::AllocationRow>> live_allocations() override;
  Result<std::vector<SeriesInfo>> list_series(TrialId trial) override;
  Result<std::vector<Bucket>> series(const SeriesQuery& query) override;
  Result<std::vector<StoredLogLine>> logs(const LogQuery& query) override;
  Result<Value> environment(TrialId trial, int attempt, int rank) override;
  Result<std::vector<core::ChangeRow>> changes_after(std::int64_t sequence, int limit) override;
  Result<std::int64_t> oldest_change() override;

  Result<User> user_of_token(const std::string& token_hash) override;
  Status put_token(const std::string& token_hash, const std::string& user) override;
  Status put_user(const User& user, const std::string& password_hash) override;
  Result<std::string> password_hash(const std::string& user) override;

  Status put_context(const ContextInfo& context) override;
  Result<ContextInfo> context(const ContextHash& hash) override;

  Status tidy_up(std::int64_t now_ms) override;

 private:
  PostgresStore(std::unique_ptr<Database> loop, std::unique_ptr<Database> pool);

  std::unique_ptr<Database> loop_;  // one connection: commit, loop_state, take_over, load
  std::unique_ptr<Database> pool_;
  Doubts doubts_;
};

}  // namespace dt::master
