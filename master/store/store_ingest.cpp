// The data path: records of spools become points, log lines, inbox rows and marks.
#include <algorithm>

#include "formats/json.h"
#include "master/store/ingest_writes.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement lock_allocations{
    "lock_allocations",
    "SELECT pg_advisory_xact_lock(value::bigint) FROM json_array_elements_text($1::json)"};
// A look into the index for each allocation, whatever the planner thinks of the tables' sizes.
constexpr Statement read_facts{
    "read_facts",
    "SELECT r.epoch, r.number, f.* FROM json_to_recordset($1::json) "
    "AS r (epoch bigint, number bigint) CROSS JOIN LATERAL "
    "(SELECT a.trial_id, a.attempt, a.experiment_id, a.ended, e.searcher_metric, e.time_metric "
    "FROM allocations a JOIN experiments e ON e.id = a.experiment_id "
    "WHERE a.epoch = r.epoch AND a.number = r.number OFFSET 0) AS f"};
constexpr Statement read_marks{
    "read_marks",
    "SELECT r.epoch, r.number, m.* FROM json_to_recordset($1::json) "
    "AS r (epoch bigint, number bigint) CROSS JOIN LATERAL "
    "(SELECT stream, seq FROM marks WHERE epoch = r.epoch AND number = r.number OFFSET 0) AS m"};
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

// Sorted, so that two who lock several wait for each other instead of dead-locking.
void lock_all(Transaction& tx, const std::set<AllocationId>& ids) {
  std::set<std::int64_t> keys;
  for (const AllocationId id : ids) keys.insert(lock_key_of(id));
  tx.run(lock_allocations, to_json(Value(Value::Array(keys.begin(), keys.end()))));
}

std::string ids_text(const std::set<AllocationId>& ids) {
  Value::Array list;
  for (const AllocationId id : ids) {
    list.push_back(Value::Object{{"epoch", id.epoch}, {"number", id.number}});
  }
  return to_json(Value(std::move(list)));
}

AllocationId allocation_in(const pqxx::row& row) {
  return {.epoch = integer_in(row, "epoch"), .number = integer_in(row, "number")};
}

// Of those that exist.
std::map<AllocationId, AllocationSummary> summaries_of(Transaction& tx,
                                                       const std::set<AllocationId>& ids) {
  std::map<AllocationId, AllocationSummary> summaries;
  for (const auto& row : tx.run(read_facts, ids_text(ids))) {
    const AllocationId id = allocation_in(row);
    summaries[id] = {.facts = {.allocation = id,
                               .trial = {integer_in(row, "trial_id")},
                               .attempt = int_in(row, "attempt"),
                               .searcher_metric = text_in(row, "searcher_metric"),
                               .time_metric = text_in(row, "time_metric")},
                     .experiment = {integer_in(row, "experiment_id")},
                     .ended = bool_in(row, "ended")};
  }
  return summaries;
}

std::map<AllocationId, core::Marks> marks_of(Transaction& tx, const std::set<AllocationId>& ids) {
  std::map<AllocationId, core::Marks> marks;
  for (const auto& row : tx.run(read_marks, ids_text(ids))) {
    marks[allocation_in(row)][int_in(row, "stream")] = integer_in(row, "seq");
  }
  return marks;
}

Status no_such(AllocationId id) { return not_found("allocation ", id, " does not exist"); }

Result<AllocationSummary> summary_of(Transaction& tx, AllocationId id) {
  const auto found = summaries_of(tx, {id});
  if (found.empty()) return no_such(id);
  return found.begin()->second;
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

struct Planned {
  const IngestCall* item = nullptr;
  const AllocationSummary* summary = nullptr;  // null: there is no such allocation
  std::vector<core::InboxRow> unheard{};
  core::IngestPlan plan{};
  bool is_news = false;  // else every record of it is stored
};

// One allocation may be there more than once: the marks rise from one to the next.
std::vector<Planned> plan_all(Transaction& tx, const std::vector<const IngestCall*>& items,
                              const std::map<AllocationId, AllocationSummary>& summaries,
                              const std::set<AllocationId>& ids) {
  std::map<AllocationId, core::Marks> marks = marks_of(tx, ids);
  std::vector<Planned> planned;
  for (const IngestCall* item : items) {
    planned.push_back({.item = item});
    const auto known = summaries.find(item->allocation);
    if (known == summaries.end()) continue;
    planned.back().summary = &known->second;
    if (!item->in_doubt.empty()) {
      planned.back().unheard = unheard_rows(tx, item->allocation, item->in_doubt);
    }
    core::Marks& before = marks[item->allocation];
    planned.back().plan = core::plan_ingest(known->second.facts, before, *item->records);
    planned.back().is_news = planned.back().plan.marks != before;
    before = planned.back().plan.marks;
  }
  return planned;
}

Result<std::vector<Result<IngestResult>>> ingest_group(Transaction& tx,
                                                       const std::vector<const IngestCall*>& items) {
  std::set<AllocationId> ids;
  for (const IngestCall* item : items) ids.insert(item->allocation);
  lock_all(tx, ids);  // the agents of an allocation take turns
  const std::map<AllocationId, AllocationSummary> summaries = summaries_of(tx, ids);
  std::vector<Planned> planned = plan_all(tx, items, summaries, ids);
  std::vector<PlanToWrite> plans;
  std::vector<Result<IngestResult>> results;
  for (Planned& one : planned) {
    if (one.is_news) plans.push_back({&one.summary->facts, std::move(one.plan)});
  }
  std::vector<IngestResult> written = write_plans(tx, std::move(plans));
  auto next = written.begin();
  for (Planned& one : planned) {
    if (one.summary == nullptr) {
      results.emplace_back(no_such(one.item->allocation));
      continue;
    }
    IngestResult result = one.is_news ? std::move(*next++) : IngestResult{.marks = one.plan.marks};
    result.trial = one.summary->facts.trial;
    result.experiment = one.summary->experiment;
    result.inbox.insert(result.inbox.begin(), one.unheard.begin(), one.unheard.end());
    results.emplace_back(std::move(result));
  }
  return results;
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
  Result<IngestResult> result =
      ingests_.run({.allocation = allocation, .records = &records, .in_doubt = in_doubt});
  if (result.ok() && !in_doubt.empty()) doubts_.clear(allocation);
  if (result.status().code() == Code::unknown) doubts_.add(allocation, records);
  return result;
}

// In one transaction; what one of them says that the database refuses must not harm the others.
std::vector<Result<IngestResult>> PostgresStore::ingest_all(const Ingests::Items& items) {
  auto done = pool_->transact([&](Transaction& tx) { return ingest_group(tx, items); });
  if (done.ok()) return std::move(done).value();
  const bool is_of_all = done.status().code() == Code::unavailable ||
                         done.status().code() == Code::unknown || items.size() == 1;
  std::vector<Result<IngestResult>> results;
  for (const IngestCall* item : items) {
    results.push_back(is_of_all ? Result<IngestResult>(done.status())
                                : std::move(ingest_all({item}).front()));
  }
  return results;
}

Result<core::Marks> PostgresStore::marks(AllocationId allocation) {
  Result<core::Marks> stored = pool_->transact([&](Transaction& tx) -> Result<core::Marks> {
    TRY(summary_of(tx, allocation));
    return marks_of(tx, {allocation})[allocation];
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
