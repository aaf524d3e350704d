// Series for lists and plots. What a list needs comes from the chunks' roll-ups where these are
// enough (one attempt, steps that only rise); else, and for plots, chunks are decoded here: reading
// arrays costs a tenth of reading the same points as rows of the view.
#include <cmath>
#include <set>

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
constexpr Statement series_of_trials{
    "series_of_trials",
    "SELECT s.id, s.trial_id, s.rank, s.metric_group, s.name, "
    "coalesce(r.points, 0) AS points, coalesce(r.finite, 0) AS finite, r.min_value, r.max_value, "
    "r.last_step, r.last_value, coalesce(r.plain, true) AS plain "
    "FROM (SELECT value::bigint AS id FROM json_array_elements_text($1::json) "
    "UNION SELECT id FROM trials WHERE experiment_id = $2::bigint) t "
    "JOIN series s ON s.trial_id = t.id LEFT JOIN LATERAL ("
    "SELECT sum(c.points) AS points, sum(c.finite) AS finite, "
    "min(c.min_value) FILTER (WHERE c.finite > 0) AS min_value, "
    "max(c.max_value) FILTER (WHERE c.finite > 0) AS max_value, max(c.last_step) AS last_step, "
    "(array_agg(c.last_value ORDER BY c.id DESC))[1] AS last_value, "
    "min(c.attempt) = (SELECT max(a.attempt) FROM attempts a WHERE a.trial_id = s.trial_id) "
    "AND bool_and(c.rising AND coalesce(c.min_step > c.before, true)) AS plain "
    "FROM (SELECT m.id, m.attempt, m.points, m.finite, m.min_value, m.max_value, m.min_step, "
    "m.last_step, m.last_value, m.rising, lag(m.last_step) OVER (ORDER BY m.id) AS before "
    "FROM metric_chunks m WHERE m.series_id = s.id) c) r ON true "
    "WHERE ($3 = '' OR s.metric_group = $3) AND ($4 = '' OR s.name = $4) "
    "ORDER BY s.trial_id, s.metric_group COLLATE \"C\", s.name COLLATE \"C\", s.rank"};

constexpr Statement places_of_series{
    "places_of_series",
    "SELECT id, trial_id, points FROM series "
    "WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json))"};
constexpr Statement starts_of_attempts{
    "starts_of_attempts",
    "SELECT trial_id, attempt, coalesce(hello_step, checkpoint_step) AS start_step FROM attempts "
    "WHERE trial_id IN (SELECT value::bigint FROM json_array_elements_text($1::json))"};
constexpr Statement chunks_of_series{
    "chunks_of_series",
    "SELECT series_id, attempt, step_deltas, time_deltas, point_values FROM metric_chunks "
    "WHERE series_id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) "
    "AND ($2::bigint IS NULL OR max_step >= $2::bigint) "
    "AND ($3::bigint IS NULL OR min_step <= $3::bigint) ORDER BY series_id, attempt, id"};

// So many are read at once, unless one series alone has more.
constexpr std::int64_t points_a_read = 2'000'000;

struct Place {
  TrialId trial;
  std::int64_t points = 0;  // all that were ever stored
};
using Places = std::map<std::int64_t, Place>;  // by series

struct StepRange {
  std::optional<std::int64_t> from, to;
  bool has(std::int64_t step) const { return (!from || step >= *from) && (!to || step <= *to); }
};

std::map<TrialId, AttemptStarts> read_starts(Transaction& tx, const Places& places) {
  std::set<std::int64_t> trials;
  for (const auto& [series, place] : places) trials.insert(place.trial.value);
  const std::string list = to_json(Value(Value::Array(trials.begin(), trials.end())));
  std::map<TrialId, AttemptStarts> starts;
  for (const auto& row : tx.run(starts_of_attempts, list)) {
    starts[{integer_in(row, "trial_id")}][int_in(row, "attempt")] =
        optional_integer_in(row, "start_step");
  }
  return starts;
}

std::map<std::int64_t, std::vector<Chunk>> read_chunks(Transaction& tx, Value::Array series,
                                                       const StepRange& range) {
  const auto text = [](std::optional<std::int64_t> step) { return step ? cat(*step) : ""; };
  const std::string from = text(range.from), to = text(range.to);
  std::map<std::int64_t, std::vector<Chunk>> chunks;
  for (const auto& row : tx.run(chunks_of_series, to_json(Value(std::move(series))),
                                range.from ? from.c_str() : nullptr,
                                range.to ? to.c_str() : nullptr)) {
    chunks[integer_in(row, "series_id")].push_back(chunk_in(row, ChunkParts::without_epochs));
  }
  return chunks;
}

// Calls `take(series, points)` for each, in two statements for two million points.
template <class Take>
Status each_series(Transaction& tx, const Places& places, const StepRange& range,
                   const Take& take) {
  std::map<TrialId, AttemptStarts> starts = read_starts(tx, places);
  for (auto next = places.begin(); next != places.end();) {
    const auto first = next;
    Value::Array group;
    for (std::int64_t points = 0; next != places.end(); ++next) {
      points += next->second.points;
      if (!group.empty() && points > points_a_read) break;
      group.push_back(next->first);
    }
    auto chunks = read_chunks(tx, std::move(group), range);
    for (auto it = first; it != next; ++it) {
      std::vector<SeriesPoint> points =
          effective_points(starts[it->second.trial], chunks[it->first]);
      std::erase_if(points, [&](const SeriesPoint& point) { return !range.has(point.step); });
      TRY(take(it->first, points));
    }
  }
  return {};
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

Result<std::vector<SeriesInfo>> PostgresStore::list_series(const SeriesFilter& filter) {
  Value::Array trials;
  for (const TrialId trial : filter.trials) trials.push_back(trial.value);
  const std::string wanted = to_json(Value(std::move(trials)));
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<SeriesInfo>> {
    std::vector<SeriesInfo> list;
    Places unplain;
    std::map<std::int64_t, std::size_t> place_in_list;
    for (const auto& row : tx.run(series_of_trials, wanted, filter.experiment.value,
                                  storable(filter.metric_group), storable(filter.name))) {
      SeriesInfo info = info_of(row);
      if (bool_in(row, "plain")) {
        take_roll_up(info, row);
      } else {
        unplain[info.id] = {.trial = info.trial, .points = info.points};
        place_in_list[info.id] = list.size();
      }
      list.push_back(std::move(info));
    }
    TRY(each_series(tx, unplain, {}, [&](std::int64_t id, const auto& points) -> Status {
      take_points(list[place_in_list[id]], points);
      return {};
    }));
    return list;
  });
}

Result<std::vector<std::vector<Bucket>>> PostgresStore::series(const SeriesQuery& query) {
  using Answer = std::vector<std::vector<Bucket>>;
  const std::string wanted = to_json(Value(Value::Array(query.series.begin(), query.series.end())));
  return pool_->transact([&](Transaction& tx) -> Result<Answer> {
    Places places;
    for (const auto& row : tx.run(places_of_series, wanted)) {
      places[integer_in(row, "id")] = {.trial = {integer_in(row, "trial_id")},
                                       .points = integer_in(row, "points")};
    }
    for (const std::int64_t id : query.series) {
      if (!places.contains(id)) return not_found("series ", id, " does not exist");
    }
    std::map<std::int64_t, std::vector<Bucket>> by_series;
    std::int64_t total = 0;
    TRY(each_series(tx, places, {query.from_step, query.to_step},
                    [&](std::int64_t id, const auto& points) -> Status {
                      by_series[id] = buckets_of(points, query.buckets);
                      total += static_cast<std::int64_t>(by_series[id].size());
                      if (total <= query.answer_max) return {};
                      return resource_exhausted("the answer has more than ", query.answer_max,
                                                " points")
                          .with_hint("ask for fewer series, fewer buckets or a range of steps");
                    }));
    Answer answer;
    for (const std::int64_t id : query.series) answer.push_back(by_series[id]);
    return answer;
  });
}

}  // namespace dt::master
