#include "master/store/ingest_writes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "formats/json.h"
#include "master/store/chunk_rows.h"
#include "master/store/log_chunk.h"
#include "master/store/points.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"

namespace dt::master {

namespace {

constexpr Statement upsert_attempt{
    "upsert_attempt",
    "INSERT INTO attempts (trial_id, attempt, hello_step, checkpoint_step) "
    "SELECT $1::bigint, $2::integer, $3::bigint, "
    "(SELECT c.step FROM checkpoints c JOIN allocations a ON c.id = a.resumed_from "
    "AND md5(c.id) = md5(a.resumed_from) WHERE a.epoch = $4::bigint AND a.number = $5::bigint) "
    "ON CONFLICT (trial_id, attempt) DO UPDATE SET "
    "hello_step = least(attempts.hello_step, excluded.hello_step) "  // least() passes over nulls
    "WHERE excluded.hello_step IS NOT NULL"};

constexpr Statement grow_series{
    "grow_series",
    "INSERT INTO series (trial_id, rank, metric_group, name, points) "
    "SELECT $1::bigint, r.rank, r.metric_group, r.name, r.points "
    "FROM json_to_recordset($2::json) "
    "AS r (rank integer, metric_group text, name text, points bigint) "
    "ORDER BY r.rank, r.metric_group COLLATE \"C\", r.name COLLATE \"C\" "
    "ON CONFLICT (trial_id, rank, md5(metric_group), md5(name)) "
    "DO UPDATE SET points = series.points + excluded.points "
    "RETURNING id, rank, metric_group, name, points"};

constexpr Statement insert_log_chunks{
    "insert_log_chunks",
    "INSERT INTO log_chunks (trial_id, attempt, stream, first_position, last_position, line_count, "
    "min_time_ms, max_time_ms, lines) "
    "SELECT r.trial_id, r.attempt, r.stream, r.first_position, r.last_position, r.line_count, "
    "r.min_time_ms, r.max_time_ms, decode(r.lines, 'hex') "
    "FROM json_to_recordset($1::json) AS r (trial_id bigint, attempt integer, stream integer, "
    "first_position bigint, last_position bigint, line_count integer, min_time_ms bigint, "
    "max_time_ms bigint, lines text)"};

constexpr Statement take_positions{
    "take_positions",
    "INSERT INTO log_positions (trial_id, last_position) VALUES ($1::bigint, $2::bigint) "
    "ON CONFLICT (trial_id) DO UPDATE SET "
    "last_position = log_positions.last_position + excluded.last_position RETURNING last_position"};

constexpr Statement insert_inbox{
    "insert_inbox",
    "INSERT INTO inbox (epoch, number, stream, seq, kind, part_stored, body) "
    "SELECT r.epoch, r.number, r.stream, r.seq, r.kind, r.part_stored, r.body::json "
    "FROM json_to_recordset($1::json) AS r (place bigint, epoch bigint, number bigint, "
    "stream integer, seq bigint, kind text, part_stored boolean, body text) "
    "ORDER BY r.place RETURNING id"};

constexpr Statement insert_others{
    "insert_others",
    "INSERT INTO records_other (epoch, number, stream, seq, kind, time_ms, body) "
    "SELECT $1::bigint, $2::bigint, r.stream, r.seq, r.kind, r.time_ms, r.body::json "
    "FROM json_to_recordset($3::json) "
    "AS r (stream integer, seq bigint, kind text, time_ms bigint, body text)"};

constexpr Statement upsert_marks{
    "upsert_marks",
    "INSERT INTO marks (epoch, number, stream, seq) "
    "SELECT r.epoch, r.number, r.stream, r.seq FROM json_to_recordset($1::json) "
    "AS r (epoch bigint, number bigint, stream integer, seq bigint) "
    "ON CONFLICT (epoch, number, stream) DO UPDATE SET seq = excluded.seq"};

std::string insert_chunks_sql() {
  return cat(
      "INSERT INTO metric_chunks (series_id, attempt, points, first_step, last_step, min_step, "
      "max_step, rising, finite, min_value, max_value, sum_value, last_value, step_deltas, "
      "time_deltas, point_values, epochs) "
      "SELECT r.series_id, r.attempt, r.points, r.first_step, r.last_step, r.min_step, "
      "r.max_step, r.rising, r.finite, r.min_value, r.max_value, r.sum_value, r.last_value, "
      "r.step_deltas, r.time_deltas, r.point_values, r.epochs "
      "FROM json_to_recordset($1::json) AS r (place bigint, ",
      chunk_record_columns, ") ORDER BY r.place");
}

using SeriesKey = std::tuple<int, std::string, std::string>;  // rank, group, name

// Chunks of each series in the order of their points; more than one only where a delta would
// overflow.
std::map<SeriesKey, std::vector<Chunk>> chunks_of(const std::vector<core::Point>& points,
                                                  int attempt) {
  std::map<SeriesKey, std::vector<Chunk>> series;
  for (const core::Point& point : points) {
    auto& chunks = series[{point.rank, storable(point.group), storable(point.name)}];
    if (chunks.empty() || !can_follow(chunks.back(), point.step, point.time_ms)) {
      chunks.push_back({.attempt = attempt});
    }
    append(chunks.back(), point.step, point.time_ms, point.value, point.epoch);
  }
  return series;
}

Value series_rows(const std::map<SeriesKey, std::vector<Chunk>>& series) {
  Value::Array rows;
  for (const auto& [key, chunks] : series) {
    std::int64_t points = 0;
    for (const Chunk& chunk : chunks) points += static_cast<std::int64_t>(chunk.values.size());
    rows.push_back(Value::Object{{"rank", std::get<0>(key)},
                                 {"metric_group", std::get<1>(key)},
                                 {"name", std::get<2>(key)},
                                 {"points", points}});
  }
  return Value(std::move(rows));
}

std::vector<GrownSeries> write_points(Transaction& tx, const core::IngestFacts& facts,
                                      const std::vector<core::Point>& points) {
  const std::map<SeriesKey, std::vector<Chunk>> series = chunks_of(points, facts.attempt);
  if (series.empty()) return {};
  std::vector<GrownSeries> grown;
  Value::Array rows;
  for (const auto& row : tx.run(grow_series, facts.trial.value, to_json(series_rows(series)))) {
    grown.push_back({.id = integer_in(row, "id"), .points = integer_in(row, "points")});
    const SeriesKey key{int_in(row, "rank"), text_in(row, "metric_group"), text_in(row, "name")};
    for (const Chunk& chunk : series.at(key)) {
      Value chunk_row = chunk_to_row(grown.back().id, chunk);
      chunk_row.set("place", static_cast<std::int64_t>(rows.size()));
      rows.push_back(std::move(chunk_row));
    }
  }
  tx.run_made("insert_chunks", insert_chunks_sql, to_json(Value(std::move(rows))));
  return grown;
}

Value log_row(TrialId trial, int attempt, int stream, const std::vector<StoredLogLine>& lines) {
  const auto by_time = [](const StoredLogLine& a, const StoredLogLine& b) {
    return a.line.time_ms < b.line.time_ms;
  };
  const auto [earliest, latest] = std::minmax_element(lines.begin(), lines.end(), by_time);
  return Value::Object{{"trial_id", trial.value},
                       {"attempt", attempt},
                       {"stream", stream},
                       {"first_position", lines.front().position},
                       {"last_position", lines.back().position},
                       {"line_count", static_cast<std::int64_t>(lines.size())},
                       {"min_time_ms", earliest->line.time_ms},
                       {"max_time_ms", latest->line.time_ms},
                       {"lines", hex_of(pack_lines(lines))}};
}

void write_logs(Transaction& tx, const core::IngestFacts& facts, std::vector<core::LogLine> logs) {
  if (logs.empty()) return;
  const auto count = static_cast<std::int64_t>(logs.size());
  const auto taken = tx.run(take_positions, facts.trial.value, count);
  std::int64_t position = integer_in(taken[0], "last_position") - count;
  std::map<int, std::vector<StoredLogLine>> streams;
  for (core::LogLine& line : logs) {
    const int stream = line.stream;
    streams[stream].push_back(
        {.position = ++position, .attempt = facts.attempt, .line = std::move(line)});
  }
  Value::Array rows;
  for (const auto& [stream, lines] : streams) {
    rows.push_back(log_row(facts.trial, facts.attempt, stream, lines));
  }
  tx.run(insert_log_chunks, to_json(Value(std::move(rows))));
}

void write_others(Transaction& tx, AllocationId allocation,
                  const std::vector<core::Record>& others) {
  if (others.empty()) return;
  Value::Array rows;
  for (const core::Record& record : others) {
    rows.push_back(Value::Object{{"stream", record.stream},
                                 {"seq", record.seq},
                                 {"kind", core::to_text(record.kind)},
                                 {"time_ms", record.time_ms},
                                 {"body", json_value(record.body)}});
  }
  tx.run(insert_others, allocation.epoch, allocation.number, to_json(Value(std::move(rows))));
}

void write_marks(Transaction& tx, const std::map<AllocationId, core::Marks>& all) {
  Value::Array rows;
  for (const auto& [id, marks] : all) {
    for (const auto& [stream, seq] : marks) {
      rows.push_back(Value::Object{
          {"epoch", id.epoch}, {"number", id.number}, {"stream", stream}, {"seq", seq}});
    }
  }
  if (!rows.empty()) tx.run(upsert_marks, to_json(Value(std::move(rows))));
}

void write_attempt(Transaction& tx, const core::IngestFacts& facts, const core::IngestPlan& plan) {
  const auto is_hello = [](const core::Record& record) {
    return record.kind == core::RecordKind::hello;
  };
  const bool spoke = plan.start_step || !plan.points.empty() ||
                     std::any_of(plan.others.begin(), plan.others.end(), is_hello);
  if (!spoke) return;
  const std::string step = plan.start_step ? cat(plan.start_step->step) : "";
  tx.run(upsert_attempt, facts.trial.value, facts.attempt, plan.start_step ? step.c_str() : nullptr,
         facts.allocation.epoch, facts.allocation.number);
}

}  // namespace

void write_inbox(Transaction& tx, std::vector<core::InboxRow>& rows) {
  if (rows.empty()) return;
  Value::Array list;
  for (const core::InboxRow& row : rows) {
    list.push_back(Value::Object{{"place", static_cast<std::int64_t>(list.size())},
                                 {"epoch", row.allocation.epoch},
                                 {"number", row.allocation.number},
                                 {"stream", row.stream},
                                 {"seq", row.seq},
                                 {"kind", core::to_text(row.kind)},
                                 {"part_stored", row.part_stored},
                                 {"body", json_value(row.body)}});
  }
  std::vector<std::int64_t> ids;
  for (const auto& row : tx.run(insert_inbox, to_json(Value(std::move(list))))) {
    ids.push_back(integer_in(row, "id"));
  }
  VERIFY(ids.size() == rows.size(), ids.size(), " ids for ", rows.size(), " inbox rows");
  std::sort(ids.begin(), ids.end());  // they were given in the order of `place`
  for (std::size_t i = 0; i < rows.size(); i++) rows[i].id = {ids[i]};
}

std::vector<IngestResult> write_plans(Transaction& tx, std::vector<PlanToWrite> plans) {
  std::vector<std::size_t> order(plans.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plans[a].facts->trial < plans[b].facts->trial;
  });
  std::vector<IngestResult> results(plans.size());
  for (const std::size_t i : order) {
    auto& [facts, plan] = plans[i];
    write_attempt(tx, *facts, plan);
    results[i].grown_series = write_points(tx, *facts, plan.points);
    write_logs(tx, *facts, std::move(plan.logs));
    write_others(tx, facts->allocation, plan.others);
  }
  std::vector<core::InboxRow> inbox;
  std::map<AllocationId, core::Marks> marks;
  for (const auto& [facts, plan] : plans) {
    inbox.insert(inbox.end(), plan.inbox.begin(), plan.inbox.end());
    marks[facts->allocation] = plan.marks;  // of two of one allocation the later counts
  }
  write_inbox(tx, inbox);
  write_marks(tx, marks);
  auto next = inbox.begin();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(plans[i].plan.inbox.size());
    results[i].marks = std::move(plans[i].plan.marks);
    results[i].inbox.assign(next, end);
    next = end;
  }
  return results;
}

}  // namespace dt::master
