#include "sim/words.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using core::IngestPlan;
using core::Record;
using core::RecordKind;

bool is_validation(const Record& record) {
  return record.stream == 0 && record.body["group"] == Value("validation");
}

// Does a decision need it?
bool decides(const Record& record) {
  switch (record.kind) {
    case RecordKind::metrics: return is_validation(record);
    case RecordKind::progress: return record.stream == 0;
    case RecordKind::checkpoint:
    case RecordKind::early_exit:
    case RecordKind::exit: return record.stream >= 0;
    case RecordKind::hello:
    case RecordKind::artifact:
    case RecordKind::log:
    case RecordKind::environment: return false;
  }
  return false;
}

// What a plan must hold, counted and summed, so that nothing has to be copied.
struct Tally {
  std::size_t points = 0;
  std::size_t logs = 0;
  std::size_t others = 0;
  std::vector<const Record*> inbox;
  core::Marks marks;
  double sum = 0;
};

void count(const Record& record, Tally& tally) {
  if (record.kind == RecordKind::log) ++tally.logs;
  const bool other = record.kind == RecordKind::hello || record.kind == RecordKind::artifact ||
                     record.kind == RecordKind::environment;
  tally.others += other ? 1 : 0;
  if (decides(record)) tally.inbox.push_back(&record);
  if (record.kind != RecordKind::metrics) return;
  for (const auto& [name, value] : record.body["values"].as_object()) {
    const std::optional<double> number = number_of(value);
    if (!number) continue;
    ++tally.points;
    if (std::isfinite(*number)) tally.sum += *number;
  }
}

Tally tally_of(const core::Marks& before, const std::vector<Record>& records) {
  Tally tally{.marks = before};
  for (const Record& record : records) {
    const auto mark = tally.marks.find(record.stream);
    const std::int64_t known = mark == tally.marks.end() ? 0 : mark->second;
    if (record.seq != known + 1) continue;
    tally.marks[record.stream] = record.seq;
    count(record, tally);
  }
  return tally;
}

bool same_inbox(const std::vector<const Record*>& expected, const IngestPlan& plan,
                AllocationId allocation) {
  const auto same = [&](const Record* record, const core::InboxRow& row) {
    const bool named = row.allocation == allocation && row.stream == record->stream &&
                       row.seq == record->seq && row.kind == record->kind && !row.part_stored;
    if (!named || record->kind != RecordKind::metrics) return named && row.body == record->body;
    return row.body["step"] == record->body["step"] &&
           row.body["values"].as_object().size() == record->body["values"].as_object().size();
  };
  return std::equal(expected.begin(), expected.end(), plan.inbox.begin(), plan.inbox.end(), same);
}

double sum_of(const IngestPlan& plan) {
  double sum = 0;
  for (const core::Point& point : plan.points) {
    if (std::isfinite(point.value)) sum += point.value;
  }
  return sum;
}

}  // namespace

void Words::said(const RankId& id, std::int64_t rank_seq, RecordKind, const Value&) {
  Stream& stream = streams_[id];
  VERIFY(rank_seq == stream.last_said + 1, "a rank counts by ones");
  stream.last_said = rank_seq;
  stream.seq_of.push_back(0);
}

void Words::appended(AllocationId allocation, const Record& record) {
  if (record.stream < 0) return;
  const RankId id{allocation, record.stream};
  Stream& stream = streams_[id];
  if (record.seq != stream.last_appended + 1) {
    world_.fail(cat("P1: record ", record.seq, " of rank ", id.rank, " of allocation ", allocation,
                    " follows record ", stream.last_appended));
  }
  stream.last_appended = record.seq;
  if (record.rank_seq > 0) {
    auto& seq = stream.seq_of.at(static_cast<std::size_t>(record.rank_seq - 1));
    if (seq != 0) {
      world_.fail(cat("P8: message ", record.rank_seq, " of rank ", id.rank, " of allocation ",
                      allocation, " is written twice"));
    }
    seq = record.seq;
  }
  if (exits_.contains(id)) {
    world_.fail(cat("rank ", id.rank, " of allocation ", allocation, " speaks after its exit"));
  }
  if (record.kind != RecordKind::exit) return;
  core::RankExit exit{.rank = id.rank,
                      .code = static_cast<int>(record.body["code"].as_int()),
                      .signal = static_cast<int>(record.body["signal"].as_int()),
                      .seq = record.seq};
  core::parse_order(record.body["ordered"].as_string(), exit.ordered);
  exits_[id] = exit;
}

void Words::acknowledged(const RankId& id, std::int64_t rank_seq, const Spool& spool) {
  Stream& stream = streams_[id];
  if (!spool.is_safe(id.rank, rank_seq)) {
    world_.fail(cat("P1: message ", rank_seq, " of rank ", id.rank, " of allocation ",
                    id.allocation, " is acknowledged before it is on the disk"));
  }
  stream.acknowledged = std::max(stream.acknowledged, rank_seq);
}

void Words::ingested(AllocationId allocation, const core::Marks& before,
                     const std::vector<Record>& records, const IngestPlan& plan) {
  const Tally tally = tally_of(before, records);
  const auto differs = [&](const char* what) {
    world_.fail(cat("P1: of ", records.size(), " records of allocation ", allocation, " other ",
                    what, " are stored than they have"));
  };
  if (plan.marks != tally.marks) return differs("marks");
  if (plan.points.size() != tally.points || std::abs(sum_of(plan) - tally.sum) > 1e-9) {
    return differs("points");
  }
  if (plan.logs.size() != tally.logs) return differs("lines");
  if (plan.others.size() < tally.others) return differs("others");
  if (!same_inbox(tally.inbox, plan, allocation)) return differs("inbox rows");
}

// P1: a spool is kept until the master has all of it, and a while longer.
void Words::folder_removed(AllocationId allocation, const Spool& spool) {
  const core::Marks marks = world_.database.marks(allocation);
  for (const Record& record : spool.records()) {
    if (record.kind == RecordKind::checkpoint) part_was_uploaded(allocation, record);
    const auto mark = marks.find(record.stream);
    if (mark != marks.end() && record.seq <= mark->second) continue;
    return world_.fail(cat("P1: the spool of allocation ", allocation, " is removed, but record ",
                           record.seq, " of stream ", record.stream, " is not stored"));
  }
}

void Words::part_was_uploaded(AllocationId allocation, const Record& record) const {
  const CheckpointId id{record.body["id"].as_string()};
  const int part = static_cast<int>(record.body["part"].as_int());
  if (world_.database.was_uploaded(id, part)) return;
  world_.fail(cat("P1: the folder of allocation ", allocation, " is removed, but part ", part,
                  " of checkpoint ", id, " was never uploaded"));
}

void Words::scrapped(AllocationId allocation) { scrapped_.insert(allocation); }

const core::RankExit* Words::exit_of(const RankId& id) const {
  const auto found = exits_.find(id);
  return found == exits_.end() ? nullptr : &found->second;
}

// P1: what was acknowledged to a rank is stored; that it is stored once, ingested() saw.
void Words::at_end() const {
  for (const auto& [id, stream] : streams_) {
    if (stream.acknowledged == 0 || scrapped_.contains(id.allocation)) continue;
    const std::int64_t seq = stream.seq_of[static_cast<std::size_t>(stream.acknowledged - 1)];
    const core::Marks marks = world_.database.marks(id.allocation);
    const auto mark = marks.find(id.rank);
    if (mark != marks.end() && mark->second >= seq) continue;
    return world_.fail(cat("P1: message ", stream.acknowledged, " of rank ", id.rank,
                           " of allocation ", id.allocation,
                           " was acknowledged, but is not stored"));
  }
}

}  // namespace dt::sim
