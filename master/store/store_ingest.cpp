// The data path: records of spools become points, log lines, inbox rows and marks.
#include <algorithm>

#include "master/store/ingest_writes.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement lock_allocation{"lock_allocation",
                                    "SELECT 1 FROM pg_advisory_xact_lock($1::bigint)"};
constexpr Statement read_facts{
    "read_facts",
    "SELECT a.trial_id, a.attempt, a.experiment_id, a.ended, e.searcher_metric, e.time_metric "
    "FROM allocations a JOIN experiments e ON e.id = a.experiment_id "
    "WHERE a.epoch = $1::bigint AND a.number = $2::bigint"};
constexpr Statement read_marks{
    "read_marks", "SELECT stream, seq FROM marks WHERE epoch = $1::bigint AND number = $2::bigint"};
constexpr Statement inbox_of_allocation{
    "inbox_of_allocation", select_inbox,
    "WHERE epoch = $1::bigint AND number = $2::bigint AND NOT part_stored ORDER BY id"};

// Of a call that is repeated because its outcome was not known: nobody was handed the first row.
constexpr Statement drop_equal_part{
    "drop_equal_part",
    "DELETE FROM inbox WHERE epoch = $1::bigint AND number = $2::bigint AND part_stored "
    "AND body::text = $3"};

// Of the advisory locks of this database; migrations use another number (migrations.cpp). Two
// allocations with one key merely wait for each other.
std::int64_t lock_key_of(AllocationId id) {
  return std::int64_t{0x44} << 56 | (id.epoch & 0xffff) << 40 | (id.number & 0xffffffffff);
}

Result<AllocationSummary> summary_of(Transaction& tx, AllocationId id) {
  const pqxx::result rows = tx.run(read_facts, id.epoch, id.number);
  if (rows.empty()) return not_found("allocation ", id, " does not exist");
  const pqxx::row row = rows[0];
  return AllocationSummary{.facts = {.allocation = id,
                                     .trial = {integer_in(row, "trial_id")},
                                     .attempt = int_in(row, "attempt"),
                                     .searcher_metric = text_in(row, "searcher_metric"),
                                     .time_metric = text_in(row, "time_metric")},
                           .experiment = {integer_in(row, "experiment_id")},
                           .ended = bool_in(row, "ended")};
}

core::Marks marks_of(Transaction& tx, AllocationId id) {
  core::Marks marks;
  for (const auto& row : tx.run(read_marks, id.epoch, id.number)) {
    marks[int_in(row, "stream")] = integer_in(row, "seq");
  }
  return marks;
}

// Rows above the marks in doubt: stored by a commit whose outcome was not known, so nobody was
// handed them.
std::vector<core::InboxRow> unheard_rows(Transaction& tx, AllocationId id,
                                         const core::Marks& in_doubt) {
  std::vector<core::InboxRow> rows;
  for (const auto& row : tx.run(inbox_of_allocation, id.epoch, id.number)) {
    core::InboxRow one = inbox_row(row);
    const auto mark = in_doubt.find(one.stream);
    if (mark != in_doubt.end() && one.seq > mark->second) rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace

void Doubts::add(AllocationId allocation, const std::vector<core::Record>& records) {
  const std::scoped_lock lock(mutex_);
  core::Marks& marks = marks_[allocation];
  for (const core::Record& record : records) {
    const auto [mark, is_new] = marks.emplace(record.stream, record.seq - 1);
    if (!is_new) mark->second = std::min(mark->second, record.seq - 1);
  }
}

core::Marks Doubts::of(AllocationId allocation) const {
  const std::scoped_lock lock(mutex_);
  const auto found = marks_.find(allocation);
  return found == marks_.end() ? core::Marks() : found->second;
}

void Doubts::clear(AllocationId allocation) {
  const std::scoped_lock lock(mutex_);
  marks_.erase(allocation);
}

Result<IngestResult> PostgresStore::ingest(AllocationId allocation,
                                           const std::vector<core::Record>& records) {
  const core::Marks in_doubt = doubts_.of(allocation);
  Result<IngestResult> result = pool_->transact([&](Transaction& tx) -> Result<IngestResult> {
    tx.run(lock_allocation, lock_key_of(allocation));  // its agents take turns
    const core::IngestFacts facts = TRY(summary_of(tx, allocation)).facts;
    const core::Marks before = marks_of(tx, allocation);
    core::IngestPlan plan = core::plan_ingest(facts, before, records);
    std::vector<core::InboxRow> unheard;
    if (!in_doubt.empty()) unheard = unheard_rows(tx, allocation, in_doubt);
    if (plan.marks == before) return IngestResult{.marks = before, .inbox = std::move(unheard)};
    IngestResult written = write_plan(tx, facts, std::move(plan));
    written.inbox.insert(written.inbox.begin(), unheard.begin(), unheard.end());
    return written;
  });
  if (result.ok() && !in_doubt.empty()) doubts_.clear(allocation);
  if (result.status().code() == Code::unknown) doubts_.add(allocation, records);
  return result;
}

Result<core::Marks> PostgresStore::marks(AllocationId allocation) {
  Result<core::Marks> stored = pool_->transact([&](Transaction& tx) -> Result<core::Marks> {
    TRY(summary_of(tx, allocation));
    return marks_of(tx, allocation);
  });
  core::Marks marks = TRY(std::move(stored));
  // What is in doubt is asked for again: ingest then hands out the rows that nobody heard.
  for (const auto& [stream, seq] : doubts_.of(allocation)) {
    const auto mark = marks.find(stream);
    if (mark != marks.end()) mark->second = std::min(mark->second, seq);
  }
  return marks;
}

Result<core::InboxRow> PostgresStore::part_stored(AllocationId allocation,
                                                  const CheckpointId& checkpoint, int part,
                                                  const std::string& failure) {
  return pool_->transact([&](Transaction& tx) -> Result<core::InboxRow> {
    const TrialId trial = TRY(summary_of(tx, allocation)).facts.trial;
    std::vector<core::InboxRow> rows = {
        core::part_stored_row(allocation, trial, checkpoint, part, failure)};
    tx.run(drop_equal_part, allocation.epoch, allocation.number,
           json_value(rows.front().body).as_string());
    write_inbox(tx, rows);
    return rows.front();
  });
}

Result<AllocationSummary> PostgresStore::allocation(AllocationId allocation) {
  return pool_->transact([&](Transaction& tx) { return summary_of(tx, allocation); });
}

}  // namespace dt::master
