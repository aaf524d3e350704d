// What counts of several attempts, in the view and in plots alike.
#include <cmath>

#include "base/rng.h"
#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

using core::Record;

class Series : public StoreTest {
 protected:
  void SetUp() override { begin_trial(); }

  // Attempt n of trial 1 begins, from this checkpoint if it is named.
  void begin_attempt(int attempt, const std::string& checkpoint = "") {
    core::AllocationRow row = allocation_row(attempt, 1, attempt);
    row.resumed_from = {checkpoint};
    ASSERT_EQ("", write({.allocations = {row}}).text());
  }
  void store_checkpoint(const std::string& id, std::int64_t step) {
    ASSERT_EQ("", write({.checkpoints = {{.id = {id}, .trial = {1}, .step = step}}}).text());
  }

  void push(int attempt, const std::vector<Record>& records) {
    ASSERT_EQ("", store->ingest({1, attempt}, records).status().text());
  }
  // loss = attempt * 100 + step, for these steps.
  void push_steps(int attempt, std::int64_t from, std::int64_t to) {
    std::vector<Record> records;
    for (std::int64_t step = from; step <= to; step++) {
      records.push_back(spools[attempt].metric(0, "training", "loss", step,
                                               static_cast<double>(attempt * 100 + step)));
    }
    push(attempt, records);
  }

  std::string effective() {
    return sql(
        "SELECT string_agg(step || ':' || value, ' ' ORDER BY rank, metric_group, name, step)"
        " FROM metric_points");
  }
  // The same by way of the plots.
  std::string plotted() {
    std::string out;
    for (const SeriesInfo& info : series_of(1)) {
      for (const Bucket& point : points_of(info.id)) {
        out += cat(out.empty() ? "" : " ", point.first_step, ":", point.first);
      }
    }
    return out;
  }

  std::map<int, Spool> spools;
};

TEST_F(Series, OfAnAttemptThatSaysWhereItStartsHideWhatItRepeats) {
  push(1, {spools[1].hello(0)});
  push_steps(1, 1, 5);
  begin_attempt(2);
  push(2, {spools[2].hello(0, 3)});
  EXPECT_EQ("1:101 2:102 3:103", effective());
  push_steps(2, 4, 6);
  EXPECT_EQ("1:101 2:102 3:103 4:204 5:205 6:206", effective());
  EXPECT_EQ(effective(), plotted());
  EXPECT_EQ("8", sql("SELECT count(*) FROM metric_points_raw"));
}

TEST_F(Series, OfAnAttemptThatIsSilentStartAtItsCheckpoint) {
  push(1, {spools[1].hello(0)});
  push_steps(1, 1, 5);
  store_checkpoint("c", 2);
  begin_attempt(2, "c");
  push(2, {spools[2].hello(0)});
  EXPECT_EQ("1:101 2:102", effective());
  EXPECT_EQ(effective(), plotted());
}

TEST_F(Series, OfAnAttemptWithNeitherHideAll) {
  push_steps(1, -2, 2);
  begin_attempt(2);
  push_steps(2, 7, 7);
  EXPECT_EQ("7:207", effective());
  EXPECT_EQ(effective(), plotted());
}

TEST_F(Series, AreNotHiddenByAnAttemptThatNeverRan) {
  push_steps(1, 1, 2);
  begin_attempt(2);
  push(2, {spools[2].line(-1, "prepare failed", "stderr")});
  EXPECT_EQ("1:101 2:102", effective());
  EXPECT_EQ(effective(), plotted());
}

TEST_F(Series, TakeTheLaterAttemptsWordOnAStepOfBoth) {
  push_steps(1, 1, 5);
  begin_attempt(2);
  push(2, {spools[2].hello(0, 4)});
  push_steps(2, 3, 4);
  EXPECT_EQ("1:101 2:102 3:203 4:204", effective());
  EXPECT_EQ(effective(), plotted());
}

TEST_F(Series, TakeTheLastWrittenOfAStep) {
  push(1, {spools[1].metric(0, "g", "n", 1, 1), spools[1].metric(0, "g", "n", 1, 2)});
  push(1, {spools[1].metric(0, "g", "n", 2, 3)});
  push(1, {spools[1].metric(0, "g", "n", 1, 4)});
  EXPECT_EQ("1:4 2:3", effective());
  EXPECT_EQ(effective(), plotted());
}

TEST_F(Series, OfLateRecordsOfAnEarlierAttemptCountBelowTheLimitOnly) {
  push(1, {spools[1].hello(0)});
  begin_attempt(2);
  push(2, {spools[2].hello(0, 2)});
  push_steps(2, 3, 3);
  push_steps(1, 1, 5);
  EXPECT_EQ("1:101 2:102 3:203", effective());
  EXPECT_EQ(effective(), plotted());
}

// The statement of the project's first acceptance test: every rank has every step, none twice.
TEST_F(Series, AnswerTheAcceptanceQuery) {
  for (const int rank : {0, 1}) {
    std::vector<Record> records;
    for (int step = 1; step <= 50; step++) {
      records.push_back(spools[1].metric(rank, "training", "loss", step, 1));
    }
    push(1, records);
  }
  begin_attempt(2);
  push(2, {spools[2].hello(0, 30)});
  for (const int rank : {0, 1}) {
    std::vector<Record> records;
    for (int step = 31; step <= 60; step++) {
      records.push_back(spools[2].metric(rank, "training", "loss", step, 1));
    }
    push(2, records);
  }
  EXPECT_EQ("2|0", sql("select count(distinct rank), count(*) - count(distinct (trial_id, rank, "
                       "metric_group, name, step)) from metric_points where name='loss' and "
                       "metric_group='training'"));
  EXPECT_EQ("1|0|1|60|60\n1|1|1|60|60",
            sql("SELECT trial_id, rank, min(step), max(step), count(*) FROM metric_points "
                "GROUP BY 1, 2 ORDER BY 1, 2"));
}

TEST_F(Series, AreTheSameInTheViewAndInPlotsWhateverHappens) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    SCOPED_TRACE(cat("seed ", seed));
    Rng rng(seed);
    const auto trial = static_cast<std::int64_t>(100 + seed);
    ASSERT_EQ("", write({.trials = {trial_row(trial)}}).text());
    for (int attempt = 1; attempt <= 4; attempt++) {
      const std::int64_t number = trial * 10 + attempt;
      ASSERT_EQ("", write({.allocations = {allocation_row(number, trial, attempt)}}).text());
      Spool spool;
      std::vector<Record> records;
      if (rng.chance(70)) records.push_back(spool.hello(0, rng.between(-1, 12)));
      for (int i = 0; i < 20; i++) {
        records.push_back(spool.metric(0, "g", "n", rng.between(-3, 15), rng.unit()));
        if (!rng.chance(30)) continue;
        ASSERT_EQ("", store->ingest({1, number}, records).status().text());
        records.clear();
      }
      ASSERT_EQ("", store->ingest({1, number}, records).status().text());
    }
    std::string plot;
    const SeriesInfo info = series_of(trial).at(0);
    for (const Bucket& point : points_of(info.id)) {
      plot += cat(plot.empty() ? "" : " ", point.first_step, ":", point.first);
    }
    EXPECT_EQ(sql(cat("SELECT string_agg(step || ':' || value, ' ' ORDER BY step) "
                      "FROM metric_points WHERE trial_id = ",
                      trial)),
              plot);
    EXPECT_EQ(sql(cat("SELECT count(*) FROM metric_points WHERE trial_id = ", trial)),
              cat(info.points));
  }
}

TEST_F(Series, AreListedWithTheirSummary) {
  push(1, {spools[1].metric(0, "validation", "loss", 5, 2),
           spools[1].metric(0, "training", "a", 1, 1), spools[1].metric(1, "training", "a", 1, 1)});
  push(1, {spools[1].metric(0, "validation", "loss", 6, std::nan("")),
           spools[1].metric(0, "validation", "loss", 7, -1),
           spools[1].metric(0, "validation", "loss", 8, 1)});
  const std::vector<SeriesInfo> list = series_of(1);
  ASSERT_EQ(3u, list.size());
  EXPECT_EQ("a 0 a 1 loss 0", cat(list[0].name, " ", list[0].rank, " ", list[1].name, " ",
                                  list[1].rank, " ", list[2].name, " ", list[2].rank));
  EXPECT_EQ(4, list[2].points);
  EXPECT_EQ(8, list[2].last_step);
  EXPECT_EQ("1 -1 2", cat(list[2].last_value, " ", list[2].min_value, " ", list[2].max_value));
}

TEST_F(Series, AreListedAlikeByRollUpAndByPoints) {
  push_steps(1, 1, 9);
  const SeriesInfo by_roll_up = series_of(1).at(0);
  push(1, {spools[1].metric(0, "training", "loss", 9, 109)});  // a step twice: not plain any more
  const SeriesInfo by_points = series_of(1).at(0);
  EXPECT_EQ(by_roll_up.points, by_points.points);
  EXPECT_EQ(by_roll_up.last_step, by_points.last_step);
  EXPECT_EQ(by_roll_up.last_value, by_points.last_value);
  EXPECT_EQ(by_roll_up.min_value, by_points.min_value);
  EXPECT_EQ(by_roll_up.max_value, by_points.max_value);
}

TEST_F(Series, OfNoTrialAreNone) {
  EXPECT_TRUE(series_of(99).empty());
  EXPECT_EQ("series 99 does not exist", store->series({.series = {99}}).status().message());
}

class SeriesOfMany : public Series {
 protected:
  // Experiment 1 has trials 1 and 2, experiment 2 has trial 3; each has two names in two groups.
  void SetUp() override {
    begin_trial();
    ASSERT_EQ("", write({.experiments = {experiment_row(2)},
                         .trials = {trial_row(2), trial_row(3, 2)},
                         .allocations = {allocation_row(2, 2), allocation_row(3, 3)}})
                      .text());
    for (const int trial : {1, 2, 3}) {
      push(trial, {spools[trial].metric(0, "training", "loss", 1, trial),
                   spools[trial].metric(0, "training", "loss", 2, trial + 0.5),
                   spools[trial].metric(0, "validation", "loss", 2, trial * 10),
                   spools[trial].metric(0, "validation", "accuracy", 2, trial * 100)});
    }
  }

  // "1 training loss; …"
  std::string listed(const SeriesFilter& filter) {
    std::string out;
    for (const SeriesInfo& info : store->list_series(filter).value()) {
      out += cat(out.empty() ? "" : "; ", info.trial, " ", info.metric_group, " ", info.name);
    }
    return out;
  }
};

TEST_F(SeriesOfMany, AreListedByTrialsExperimentGroupAndName) {
  EXPECT_EQ("1 validation accuracy; 3 validation accuracy",
            listed({.trials = {{3}, {1}}, .name = "accuracy"}));
  EXPECT_EQ("1 training loss; 1 validation loss; 2 training loss; 2 validation loss",
            listed({.experiment = {1}, .name = "loss"}));
  EXPECT_EQ("3 training loss", listed({.experiment = {2}, .metric_group = "training"}));
  EXPECT_EQ("1 training loss; 2 training loss; 3 training loss",
            listed({.trials = {{2}, {3}}, .experiment = {1}, .metric_group = "training"}))
      << "a trial that is named twice is there once";
  EXPECT_EQ("", listed({.experiment = {1}, .name = "' OR true --"}));
  EXPECT_EQ("", listed({}));
}

TEST_F(SeriesOfMany, AreReadTogetherInTheOrderAsked) {
  std::vector<std::int64_t> ids;
  for (const SeriesInfo& info : store->list_series({.trials = {{3}, {1}}, .name = "loss"}).value()) {
    ids.insert(ids.begin(), info.id);
  }
  const auto answer = store->series({.series = ids}).value();
  ASSERT_EQ(4u, answer.size());
  EXPECT_EQ("30 3 10 1", cat(answer[0][0].first, " ", answer[1][0].first, " ", answer[2][0].first,
                             " ", answer[3][0].first));
  EXPECT_EQ("series 99 does not exist", store->series({.series = {ids[0], 99}}).status().message());
}

TEST_F(SeriesOfMany, BeyondTheAnswersLimitAreRefused) {
  std::vector<std::int64_t> ids;
  for (const SeriesInfo& info : store->list_series({.experiment = {1}}).value()) {
    ids.push_back(info.id);
  }
  EXPECT_EQ("", store->series({.series = ids, .answer_max = 8}).status().text());
  const Status refused = store->series({.series = ids, .answer_max = 7}).status();
  EXPECT_EQ(Code::resource_exhausted, refused.code());
  EXPECT_EQ("the answer has more than 7 points", refused.message());
}

TEST_F(Series, TellWhenTheirPointsCame) {
  Record first = spools[1].metric(0, "g", "n", 1, 1), second = spools[1].metric(0, "g", "n", 2, 1);
  first.time_ms = 5'000;
  second.time_ms = 7'500;
  push(1, {first, second});
  const std::vector<Bucket> buckets =
      store->series({.series = {series_of(1).at(0).id}, .buckets = 1})->front();
  ASSERT_EQ(1u, buckets.size());
  EXPECT_EQ("5000 7500", cat(buckets[0].first_time_ms, " ", buckets[0].last_time_ms));
}

TEST_F(Series, AreCutToARangeAndKeepTheSpike) {
  std::vector<Record> records;
  for (int step = 0; step < 5000; step++) {
    records.push_back(spools[1].metric(0, "g", "n", step, step == 3210 ? 1e6 : 1));
    if (records.size() < 500) continue;
    push(1, records);
    records.clear();
  }
  const std::int64_t id = series_of(1).at(0).id;
  const SeriesQuery query{.series = {id}, .from_step = 3000, .to_step = 3999, .buckets = 10};
  const std::vector<Bucket> buckets = store->series(query)->front();
  EXPECT_LE(buckets.size(), 10u);
  EXPECT_EQ(3000, buckets.front().first_step);
  EXPECT_EQ(3999, buckets.back().last_step);
  double max = 0;
  std::int64_t count = 0;
  for (const Bucket& bucket : buckets) {
    max = std::max(max, bucket.max);
    count += bucket.count;
  }
  EXPECT_EQ(1e6, max);
  EXPECT_EQ(1000, count);
}

TEST_F(Series, AreFoundInTheViewByTheirIndex) {
  push_steps(1, 1, 3);
  const std::string plan =
      sql("SET enable_seqscan = off; EXPLAIN SELECT * FROM metric_points "
          "WHERE trial_id = 1 AND name = 'loss'");
  EXPECT_NE(std::string::npos, plan.find("series_by_name")) << plan;
  EXPECT_NE(std::string::npos, plan.find("metric_chunks_by_series")) << plan;
}

}  // namespace
}  // namespace dt::master
