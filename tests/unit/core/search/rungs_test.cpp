#include "core/search/rungs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dt::core {
namespace {

using Units = std::vector<std::int64_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

RungLadder ladder_of(const Units& units, double divisor, int trials) {
  RungLadder ladder(units, divisor);
  for (int i = 0; i < trials; ++i) ladder.add_trial();
  return ladder;
}

// Trials 0, 1, … report at `time` in turn: "go stop go …".
std::string verdicts(RungLadder& ladder, std::int64_t time, const std::vector<double>& metrics) {
  std::string text;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto verdict = ladder.judge(static_cast<int>(i), time, judged_metric(metrics[i], true));
    text += text.empty() ? "" : " ";
    text += verdict == RungLadder::Verdict::stop ? "stop" : "go";
  }
  return text;
}

std::string trials_on(const Rung& rung) {
  std::string text;
  for (const RungEntry& entry : rung.entries.list())
    text += cat(text.empty() ? "" : " ", entry.trial);
  return text;
}

TEST(RungUnits, DivideTheTimeAndAreAtLeastOne) {
  EXPECT_EQ(rung_units(3, 3, 9), (Units{1, 3, 9}));
  EXPECT_EQ(rung_units(3, 2.5, 100), (Units{16, 40, 100}));
  EXPECT_EQ(rung_units(5, 4, 2), (Units{1, 1, 1, 1, 2}));
  EXPECT_EQ(rung_units(1, 4, INT64_MAX), (Units{INT64_MAX}));
}

TEST(RungUnits, KeepAFractionalDivisorsShare) {
  EXPECT_EQ(trials_going_on(1, 2.5), 1);
  EXPECT_EQ(trials_going_on(5, 2.5), 2);
  EXPECT_EQ(trials_going_on(7, 2.5), 2);
}

TEST(JudgedMetric, IsSmallerForTheBetterAndWorstForNaN) {
  EXPECT_EQ(judged_metric(0.25, true), 0.25);
  EXPECT_EQ(judged_metric(0.25, false), -0.25);
  for (const bool smaller_is_better : {true, false}) {
    EXPECT_EQ(judged_metric(nan, smaller_is_better), worst_metric);
    EXPECT_EQ(judged_metric(smaller_is_better ? infinity : -infinity, smaller_is_better),
              worst_metric);
    EXPECT_EQ(judged_metric(smaller_is_better ? -infinity : infinity, smaller_is_better),
              -worst_metric);
  }
}

TEST(RungLadder, LetsTheFirstGoOnThenTheBestShare) {
  RungLadder ladder = ladder_of({1, 4}, 4, 8);
  EXPECT_EQ(verdicts(ladder, 1, {.8, .9, .7, .75, .6, .65, .5, .55}),
            "go stop go stop go stop go go");  // with 8 in the rung, 2 may go on
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "6 7 4 5 2 3 0 1");
}

TEST(RungLadder, StopsATrialThatReportedNaNEvenWhereItCameFirst) {
  RungLadder ladder = ladder_of({1, 4}, 4, 5);
  EXPECT_EQ(verdicts(ladder, 1, {nan, .9, .5, .1, .05}), "stop go go go go");
}

TEST(RungLadder, StopsEveryTrialThatReportsNaN) {
  RungLadder ladder = ladder_of({1, 4}, 2, 8);
  EXPECT_EQ(verdicts(ladder, 1, std::vector<double>(8, nan)),
            "stop stop stop stop stop stop stop stop");
}

TEST(RungLadder, JudgesNoReportBeforeTheRungIsReached) {
  RungLadder ladder = ladder_of({10, 40}, 4, 1);
  EXPECT_EQ(verdicts(ladder, 9, {nan}), "go");
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "");
}

// Determined's rule, which the recorded answers fix: a later equal metric counts as the better, so
// equal trials all go on (docs/decisions/0003-search-streams.md).
TEST(RungLadder, LetsEqualMetricsGoOn) {
  RungLadder ladder = ladder_of({1, 4}, 4, 8);
  EXPECT_EQ(verdicts(ladder, 1, std::vector<double>(8, .5)), "go go go go go go go go");
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "7 6 5 4 3 2 1 0");
}

TEST(RungLadder, PassesSeveralRungsByOneReport) {
  RungLadder ladder = ladder_of({1, 3, 9}, 3, 3);
  EXPECT_EQ(verdicts(ladder, 4, {.5, .6, .4}), "go stop go");
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "2 0 1");
  EXPECT_EQ(trials_on(ladder.rungs()[1]), "2 0");
  EXPECT_EQ(trials_on(ladder.rungs()[2]), "");
  EXPECT_EQ(ladder.rung_of(0), 2);
  EXPECT_EQ(ladder.rung_of(1), 0);
}

TEST(RungLadder, StopsEveryTrialAtTheTop) {
  RungLadder ladder = ladder_of({1, 3, 9}, 3, 2);
  EXPECT_EQ(verdicts(ladder, 9, {.5, .4}), "stop stop");
  EXPECT_EQ(trials_on(ladder.rungs()[2]), "1 0");
}

TEST(RungLadder, CountsACrashAsTheWorstOfTheRungItWorkedOn) {
  RungLadder ladder = ladder_of({1, 3}, 3, 2);
  EXPECT_EQ(verdicts(ladder, 1, {.5}), "go");
  ladder.fail(0);  // on rung 1 now
  ladder.fail(1);  // never reported
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "0 1");
  EXPECT_EQ(trials_on(ladder.rungs()[1]), "0");
  EXPECT_EQ(ladder.rungs()[1].entries.at(0).metric, worst_metric);
}

TEST(RungLadder, CountsACrashOnceWhereTheTrialHasAMetric) {
  RungLadder ladder = ladder_of({1, 3}, 3, 2);
  EXPECT_EQ(verdicts(ladder, 1, {.5, .6}), "go stop");
  ladder.fail(1);
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "0 1");
}

TEST(RungLadder, RemovesATrialFromEveryRungAmongItsEquals) {
  RungLadder ladder = ladder_of({1, 3, 9}, 3, 4);
  verdicts(ladder, 4, {.5, .5, .5, .5});
  ladder.remove(1);
  EXPECT_EQ(trials_on(ladder.rungs()[0]), "3 2 0");
  EXPECT_EQ(trials_on(ladder.rungs()[1]), "3 2 0");
}

TEST(RungLadder, ComesBackFromItsSnapshot) {
  RungLadder ladder = ladder_of({1, 3, 9}, 3, 4);
  verdicts(ladder, 4, {.5, infinity, -infinity, nan});
  ladder.fail(0);
  RungLadder other = ladder_of({1, 3, 9}, 3, 0);
  ASSERT_TRUE(other.restore(ladder.snapshot()).ok());
  EXPECT_EQ(other.snapshot(), ladder.snapshot());
  EXPECT_EQ(other.rungs()[0].entries.list(), ladder.rungs()[0].entries.list());
  other.remove(0);
  EXPECT_EQ(trials_on(other.rungs()[0]), "2 3 1");
}

TEST(RungLadder, RefusesSnapshotsThatCannotBeItsOwn) {
  RungLadder ladder = ladder_of({1, 3}, 3, 2);
  verdicts(ladder, 1, {.5, .6});
  const Value good = ladder.snapshot();
  RungLadder shorter = ladder_of({1}, 3, 2);
  EXPECT_EQ(shorter.restore(good).message(), "searcher snapshot: 'rungs' must be a list of 1");
  RungLadder longer = ladder_of({1, 4}, 3, 2);
  EXPECT_EQ(longer.restore(good).message(),
            "searcher snapshot: a rung is not the configured one of 4 units");
  Value fewer = good;
  fewer.set("trial_rungs", Value::Array{0});
  EXPECT_EQ(ladder.restore(fewer).message(), "searcher snapshot: 'trials' is 1, outside 0 to 0");
  Value unsorted = good;
  unsorted.set("rungs", Value::Array{Value::Object{{"units", 1},
                                                   {"trials", Value::Array{0, 1}},
                                                   {"metrics", Value::Array{2.0, 1.0}}},
                                     good["rungs"].as_array()[1]});
  EXPECT_EQ(ladder.restore(unsorted).message(),
            "searcher snapshot: the rung of 1 units has 2 trials and 2 metrics, which must be as "
            "many and ascending");
  EXPECT_EQ(ladder.snapshot(), good);
}

}  // namespace
}  // namespace dt::core
