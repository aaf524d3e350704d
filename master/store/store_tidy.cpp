// Housekeeping: what is past its time goes, and small chunks of one series or log stream become
// large ones (they compress better and are fewer to read). Merging keeps every point and line and
// their order; each group is a transaction of its own, so it never holds up an ingest for long. Two
// masters that tidy at once take turns.
#include "formats/json.h"
#include "master/store/chunk_rows.h"
#include "master/store/log_chunk.h"
#include "master/store/points.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr std::int64_t hour_ms = 3'600'000;
constexpr int points_per_chunk = 4096;
constexpr int lines_per_chunk = 4096;
constexpr int groups_per_call = 200;  // the rest waits for the next call

constexpr Statement drop_changes{
    "drop_changes", "DELETE FROM changes WHERE written_at < to_timestamp($1::bigint / 1000.0)"};
constexpr Statement drop_requests{"drop_requests",
                                  "DELETE FROM requests WHERE created_ms < $1::bigint"};

constexpr Statement lock_tidying{"lock_tidying", "SELECT pg_advisory_xact_lock(7236261912345602)"};

// Groups with at least 16 small chunks.
constexpr Statement scattered_series{
    "scattered_series",
    "SELECT series_id, attempt FROM metric_chunks WHERE points < $1::integer "
    "GROUP BY series_id, attempt HAVING count(*) >= 16 ORDER BY count(*) DESC LIMIT $2::bigint"};
// From the first small one on; large ones between are read too, for the order must stay.
constexpr Statement chunks_to_merge{
    "chunks_to_merge",
    "SELECT id, attempt, step_deltas, time_deltas, point_values, epochs FROM metric_chunks "
    "WHERE series_id = $1::bigint AND attempt = $2::integer AND id >= (SELECT min(m.id) "
    "FROM metric_chunks m WHERE m.series_id = $1::bigint AND m.attempt = $2::integer "
    "AND m.points < $3::integer) ORDER BY id LIMIT 1000"};
std::string replace_chunk_sql() {
  return cat(
      "UPDATE metric_chunks c SET points = r.points, first_step = r.first_step, "
      "last_step = r.last_step, min_step = r.min_step, max_step = r.max_step, rising = r.rising, "
      "finite = r.finite, min_value = r.min_value, max_value = r.max_value, "
      "sum_value = r.sum_value, last_value = r.last_value, step_deltas = r.step_deltas, "
      "time_deltas = r.time_deltas, point_values = r.point_values, epochs = r.epochs "
      "FROM json_to_record($2::json) AS r (",
      chunk_record_columns, ") WHERE c.id = $1::bigint");
}
constexpr Statement drop_chunks{"drop_chunks",
                                "DELETE FROM metric_chunks WHERE id IN "
                                "(SELECT value::bigint FROM json_array_elements_text($1::json))"};

constexpr Statement scattered_logs{
    "scattered_logs",
    "SELECT trial_id, attempt, stream FROM log_chunks WHERE line_count < $1::integer "
    "GROUP BY trial_id, attempt, stream HAVING count(*) >= 16 "
    "ORDER BY count(*) DESC LIMIT $2::bigint"};
constexpr Statement small_log_chunks{
    "small_log_chunks",
    "SELECT id, line_count, attempt, stream, min_time_ms, max_time_ms, lines FROM log_chunks "
    "WHERE trial_id = $1::bigint AND attempt = $2::integer AND stream = $3::integer "
    "AND line_count < $4::integer ORDER BY first_position LIMIT 1000"};
constexpr Statement replace_log_chunk{
    "replace_log_chunk",
    "UPDATE log_chunks SET first_position = $2::bigint, last_position = $3::bigint, "
    "line_count = $4::integer, min_time_ms = $5::bigint, max_time_ms = $6::bigint, "
    "lines = decode($7, 'hex') WHERE id = $1::bigint"};
constexpr Statement drop_log_chunks{
    "drop_log_chunks",
    "DELETE FROM log_chunks WHERE id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json))"};

// Consecutive chunks that become one; the first one's row is kept.
struct Run {
  std::vector<std::int64_t> ids;
  Chunk points;
};

bool can_join(const Run& run, const Chunk& next) {
  return run.points.values.size() + next.values.size() <= points_per_chunk &&
         can_follow(run.points, next.steps.front(), next.times_ms.front());
}

std::vector<Run> runs_of(const pqxx::result& rows) {
  std::vector<Run> runs;
  for (const auto& row : rows) {
    const Chunk chunk = chunk_in(row, ChunkParts::whole);
    if (runs.empty() || !can_join(runs.back(), chunk)) {
      runs.push_back({.ids = {}, .points = {.attempt = chunk.attempt}});
    }
    runs.back().ids.push_back(integer_in(row, "id"));
    append(runs.back().points, chunk);
  }
  std::erase_if(runs, [](const Run& run) { return run.ids.size() < 2; });
  return runs;
}

std::string all_but_first(const std::vector<std::int64_t>& ids) {
  return to_json(Value(Value::Array(ids.begin() + 1, ids.end())));
}

Status merge_points(Transaction& tx, std::int64_t series, int attempt) {
  tx.run(lock_tidying);
  for (const Run& run : runs_of(tx.run(chunks_to_merge, series, attempt, points_per_chunk / 2))) {
    tx.run_made("replace_chunk", replace_chunk_sql, run.ids.front(),
                to_json(chunk_to_row(series, run.points)));
    tx.run(drop_chunks, all_but_first(run.ids));
  }
  return {};
}

struct LogRun {
  std::vector<std::int64_t> ids;
  std::vector<StoredLogLine> lines;
  std::int64_t min_time_ms = 0;
  std::int64_t max_time_ms = 0;
};

Status write_run(Transaction& tx, const LogRun& run) {
  if (run.ids.size() < 2) return {};
  tx.run(replace_log_chunk, run.ids.front(), run.lines.front().position, run.lines.back().position,
         static_cast<std::int64_t>(run.lines.size()), run.min_time_ms, run.max_time_ms,
         hex_of(pack_lines(run.lines)));
  tx.run(drop_log_chunks, all_but_first(run.ids));
  return {};
}

Status merge_logs(Transaction& tx, std::int64_t trial, int attempt, int stream) {
  tx.run(lock_tidying);
  LogRun run;
  for (const auto& row : tx.run(small_log_chunks, trial, attempt, stream, lines_per_chunk)) {
    std::vector<StoredLogLine> lines = TRY(unpack_lines(bytes_in(row, "lines"), attempt, stream));
    if (run.lines.size() + lines.size() > lines_per_chunk) {
      TRY(write_run(tx, run));
      run = {};
    }
    const std::int64_t min_ms = integer_in(row, "min_time_ms");
    const std::int64_t max_ms = integer_in(row, "max_time_ms");
    run.min_time_ms = run.ids.empty() ? min_ms : std::min(run.min_time_ms, min_ms);
    run.max_time_ms = run.ids.empty() ? max_ms : std::max(run.max_time_ms, max_ms);
    run.ids.push_back(integer_in(row, "id"));
    std::move(lines.begin(), lines.end(), std::back_inserter(run.lines));
  }
  return write_run(tx, run);
}

Status merge_all_points(Database& database) {
  using Group = std::pair<std::int64_t, int>;
  const std::vector<Group> groups =
      TRY(database.transact([](Transaction& tx) -> Result<std::vector<Group>> {
        return rows_of(tx.run(scattered_series, points_per_chunk / 2, groups_per_call),
                       [](const pqxx::row& row) {
                         return Group(integer_in(row, "series_id"), int_in(row, "attempt"));
                       });
      }));
  for (const auto& [series, attempt] : groups) {
    TRY(database.run([&](Transaction& tx) { return merge_points(tx, series, attempt); }));
  }
  return {};
}

Status merge_all_logs(Database& database) {
  struct Group {
    std::int64_t trial;
    int attempt;
    int stream;
  };
  const std::vector<Group> groups = TRY(database.transact([](Transaction& tx)
                                                              -> Result<std::vector<Group>> {
    return rows_of(
        tx.run(scattered_logs, lines_per_chunk / 2, groups_per_call), [](const pqxx::row& row) {
          return Group{integer_in(row, "trial_id"), int_in(row, "attempt"), int_in(row, "stream")};
        });
  }));
  for (const Group& group : groups) {
    TRY(database.run(
        [&](Transaction& tx) { return merge_logs(tx, group.trial, group.attempt, group.stream); }));
  }
  return {};
}

}  // namespace

Status PostgresStore::tidy_up(std::int64_t now_ms) {
  TRY(pool_->run([&](Transaction& tx) -> Status {
    tx.run(drop_changes, now_ms - hour_ms);
    tx.run(drop_requests, now_ms - 24 * hour_ms);
    return {};
  }));
  TRY(merge_all_points(*pool_));
  return merge_all_logs(*pool_);
}

}  // namespace dt::master
