// Series for lists and plots. What a list needs comes from the chunks' roll-ups where these are
// enough (one attempt, steps that only rise); else, and for plots, chunks are decoded here: reading
// arrays costs a tenth of reading the same points as rows of the view.
#include <cmath>

#include "formats/json.h"
#include "master/store/chunk_rows.h"
#include "master/store/points.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

// `plain`: chunks of one attempt that nothing hides, each rising and beginning above the one
// before, so the roll-ups of the chunks add up to those of the series.
constexpr Statement series_of_trial{
    "series_of_trial",
    "SELECT s.id, s.trial_id, s.rank, s.metric_group, s.name, "
    "coalesce(r.points, 0) AS points, coalesce(r.finite, 0) AS finite, r.min_value, r.max_value, "
    "r.last_step, r.last_value, coalesce(r.plain, true) AS plain "
    "FROM series s LEFT JOIN LATERAL ("
    "SELECT sum(c.points) AS points, sum(c.finite) AS finite, "
    "min(c.min_value) FILTER (WHERE c.finite > 0) AS min_value, "
    "max(c.max_value) FILTER (WHERE c.finite > 0) AS max_value, max(c.last_step) AS last_step, "
    "(array_agg(c.last_value ORDER BY c.id DESC))[1] AS last_value, "
    "min(c.attempt) = (SELECT max(a.attempt) FROM attempts a WHERE a.trial_id = s.trial_id) "
    "AND bool_and(c.rising AND coalesce(c.min_step > c.before, true)) AS plain "
    "FROM (SELECT m.id, m.attempt, m.points, m.finite, m.min_value, m.max_value, m.min_step, "
    "m.last_step, m.last_value, m.rising, lag(m.last_step) OVER (ORDER BY m.id) AS before "
    "FROM metric_chunks m WHERE m.series_id = s.id) c) r ON true "
    "WHERE s.trial_id = $1::bigint "
    "ORDER BY s.metric_group COLLATE \"C\", s.name COLLATE \"C\", s.rank"};

constexpr Statement one_series{"one_series", "SELECT trial_id FROM series WHERE id = $1::bigint"};
constexpr Statement starts_of_attempts{
    "starts_of_attempts",
    "SELECT attempt, coalesce(hello_step, checkpoint_step) AS start_step FROM attempts "
    "WHERE trial_id = $1::bigint ORDER BY attempt"};
constexpr Statement chunks_of_series{
    "chunks_of_series",
    "SELECT attempt, step_deltas, point_values FROM metric_chunks WHERE series_id = $1::bigint "
    "AND ($2::bigint IS NULL OR max_step >= $2::bigint) "
    "AND ($3::bigint IS NULL OR min_step <= $3::bigint) ORDER BY attempt, id"};

AttemptStarts read_starts(Transaction& tx, TrialId trial) {
  AttemptStarts starts;
  for (const auto& row : tx.run(starts_of_attempts, trial.value)) {
    starts[int_in(row, "attempt")] = optional_integer_in(row, "start_step");
  }
  return starts;
}

std::vector<SeriesPoint> read_points(Transaction& tx, const AttemptStarts& starts,
                                     const SeriesQuery& query) {
  const auto text = [](std::optional<std::int64_t> step) { return step ? cat(*step) : ""; };
  const std::string from = text(query.from_step);
  const std::string to = text(query.to_step);
  const pqxx::result rows =
      tx.run(chunks_of_series, query.series, query.from_step ? from.c_str() : nullptr,
             query.to_step ? to.c_str() : nullptr);
  std::vector<SeriesPoint> points = effective_points(
      starts, rows_of(rows, [](const pqxx::row& row) { return chunk_in(row, false); }));
  std::erase_if(points, [&](const SeriesPoint& point) {
    return (query.from_step && point.step < *query.from_step) ||
           (query.to_step && point.step > *query.to_step);
  });
  return points;
}

SeriesInfo info_of(const pqxx::row& row) {
  return {.id = integer_in(row, "id"),
          .trial = {integer_in(row, "trial_id")},
          .rank = int_in(row, "rank"),
          .metric_group = text_in(row, "metric_group"),
          .name = text_in(row, "name"),
          .points = integer_in(row, "points")};
}

void take_roll_up(SeriesInfo& info, const pqxx::row& row) {
  if (info.points == 0) return;
  info.last_step = integer_in(row, "last_step");
  info.last_value = double_in(row, "last_value");
  info.min_value = optional_double_in(row, "min_value").value_or(std::nan(""));
  info.max_value = optional_double_in(row, "max_value").value_or(std::nan(""));
}

void take_points(SeriesInfo& info, const std::vector<SeriesPoint>& points) {
  info.points = static_cast<std::int64_t>(points.size());
  if (points.empty()) return;
  const Bucket all = buckets_of(points, 1).front();
  info.last_step = all.last_step;
  info.last_value = all.last;
  info.min_value = all.min;
  info.max_value = all.max;
}

}  // namespace

Result<std::vector<SeriesInfo>> PostgresStore::list_series(TrialId trial) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<SeriesInfo>> {
    const AttemptStarts starts = read_starts(tx, trial);
    std::vector<SeriesInfo> list;
    for (const auto& row : tx.run(series_of_trial, trial.value)) {
      SeriesInfo info = info_of(row);
      if (bool_in(row, "plain")) {
        take_roll_up(info, row);
      } else {
        take_points(info, read_points(tx, starts, {.series = info.id}));
      }
      list.push_back(std::move(info));
    }
    return list;
  });
}

Result<std::vector<Bucket>> PostgresStore::series(const SeriesQuery& query) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<Bucket>> {
    const pqxx::result rows = tx.run(one_series, query.series);
    if (rows.empty()) return not_found("series ", query.series, " does not exist");
    const AttemptStarts starts = read_starts(tx, {integer_in(rows[0], "trial_id")});
    return buckets_of(read_points(tx, starts, query), query.buckets);
  });
}

}  // namespace dt::master
