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
    for (const SeriesInfo& info : store->list_series({1}).value()) {
      for (const Bucket& point : store->series({.series = info.id}).value()) {
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
    const SeriesInfo info = store->list_series({trial})->at(0);
    for (const Bucket& point : store->series({.series = info.id}).value()) {
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
  const std::vector<SeriesInfo> list = *store->list_series({1});
  ASSERT_EQ(3u, list.size());
  EXPECT_EQ("a 0 a 1 loss 0", cat(list[0].name, " ", list[0].rank, " ", list[1].name, " ",
                                  list[1].rank, " ", list[2].name, " ", list[2].rank));
  EXPECT_EQ(4, list[2].points);
  EXPECT_EQ(8, list[2].last_step);
  EXPECT_EQ("1 -1 2", cat(list[2].last_value, " ", list[2].min_value, " ", list[2].max_value));
}

TEST_F(Series, AreListedAlikeByRollUpAndByPoints) {
  push_steps(1, 1, 9);
  const SeriesInfo by_roll_up = store->list_series({1})->at(0);
  push(1, {spools[1].metric(0, "training", "loss", 9, 109)});  // a step twice: not plain any more
  const SeriesInfo by_points = store->list_series({1})->at(0);
  EXPECT_EQ(by_roll_up.points, by_points.points);
  EXPECT_EQ(by_roll_up.last_step, by_points.last_step);
  EXPECT_EQ(by_roll_up.last_value, by_points.last_value);
  EXPECT_EQ(by_roll_up.min_value, by_points.min_value);
  EXPECT_EQ(by_roll_up.max_value, by_points.max_value);
}

TEST_F(Series, OfNoTrialAreNone) {
  EXPECT_TRUE(store->list_series({99})->empty());
  EXPECT_EQ("series 99 does not exist", store->series({.series = 99}).status().message());
}

TEST_F(Series, AreCutToARangeAndKeepTheSpike) {
  std::vector<Record> records;
  for (int step = 0; step < 5000; step++) {
    records.push_back(spools[1].metric(0, "g", "n", step, step == 3210 ? 1e6 : 1));
    if (records.size() < 500) continue;
    push(1, records);
    records.clear();
  }
  const std::int64_t id = store->list_series({1})->at(0).id;
  const SeriesQuery query{.series = id, .from_step = 3000, .to_step = 3999, .buckets = 10};
  const std::vector<Bucket> buckets = *store->series(query);
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
