// What the search hears of its trials, and what becomes of what it says.
#include <limits>

#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

std::int64_t events_of(const Cluster& cluster) {
  return static_cast<std::int64_t>(cluster.rows.events.at({1}).size());
}

TEST(Search, StopsATrialAndNeverJudgesWhatStillComes) {
  Cluster cluster("1x2");
  cluster.submit(halving(4, 2));
  cluster.report(1, 1, 0.1);
  cluster.agent("n1").obeys = false;
  cluster.report(2, 1, 0.9);  // worse than half of its rung
  EXPECT_EQ(cluster.wanted("n1"), "1.1 run; 1.2 stop");
  EXPECT_TRUE(cluster.rows.trials.at({2}).stopped_by_searcher);
  EXPECT_EQ(cluster.rows.trials.size(), 3u) << "the next one waits for the slot";
  const std::int64_t events = events_of(cluster);
  cluster.report(2, 2, 0.01);
  EXPECT_EQ(events_of(cluster), events) << "a stopped trial is never judged";
  EXPECT_EQ(cluster.rows.trials.at({2}).best_metric, 0.9);
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 COMPLETED; 3 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.outcomes(), "1.1 -; 2.1 stopped by the search; 3.1 -");
}

TEST(Search, AStoppedTrialIsCompleteWhateverItsRanksSay) {
  Cluster cluster("1x2");
  cluster.submit(halving(4, 2));
  cluster.report(1, 1, 0.1);
  cluster.agent("n1").obeys = false;
  cluster.report(2, 1, 0.9);
  cluster.exit_all(2, 1);
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::completed);
}

TEST(Search, TheFirstValueOfAStepDecides) {
  Cluster cluster("1x1");
  cluster.submit(random_search(1, 1));
  cluster.report(1, 10, 0.5);
  const std::int64_t events = events_of(cluster);
  cluster.exit_all(1, 75);
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 2);
  cluster.report(1, 10, 0.1);
  EXPECT_EQ(events_of(cluster), events) << "a repeat after the resume";
  cluster.report(1, 20, 0.4);
  EXPECT_EQ(events_of(cluster), events + 1);
  EXPECT_EQ(cluster.rows.trials.at({1}).best_metric, 0.4);
  EXPECT_EQ(cluster.rows.trials.at({1}).best_step, 20);
}

TEST(Search, NaNIsTheWorstValueAndNoBestOne) {
  Cluster cluster("1x2");
  cluster.submit(halving(4, 2));
  cluster.report(1, 1, "NaN");
  EXPECT_TRUE(cluster.rows.trials.at({1}).stopped_by_searcher);
  EXPECT_EQ(cluster.rows.trials.at({1}).best_metric, std::nullopt);
  EXPECT_EQ(cluster.rows.events.at({1})[1].event["metric"], Value("NaN"));
}

TEST(Search, EndsWhenItsWallTimeIsOverAcrossARestart) {
  Cluster cluster("1x2");
  cluster.submit(configured("name: random, max_trials: 9, max_wall_time_s: 60", 1));
  cluster.report(1, 1, 0.3);
  cluster.wait(std::chrono::seconds(40));
  cluster.restart();
  EXPECT_EQ(cluster.experiments(), "1 ACTIVE");
  cluster.wait(std::chrono::seconds(30));
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: the search has had its 60 s (searcher.max_wall_time_s)");
  EXPECT_EQ(cluster.rows.events.at({1}).back().event["event"], Value("exited"));
}

TEST(Search, ItsWallTimeWaitsWhileAPersonHoldsIt) {
  Cluster cluster("1x2");
  cluster.submit(configured("name: random, max_trials: 9, max_wall_time_s: 60", 1));
  cluster.order(1, Verb::pause);
  cluster.wait(std::chrono::seconds(90));
  EXPECT_EQ(cluster.experiments(), "1 PAUSED");
  cluster.order(1, Verb::activate);
  cluster.wait(std::chrono::seconds(1));
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: the search has had its 60 s (searcher.max_wall_time_s)");
}

TEST(Search, SaysThatItsTargetWasReached) {
  Cluster cluster("1x2");
  cluster.submit(configured("name: random, max_trials: 9, target_metric: 0.2", 1));
  cluster.report(1, 1, 0.1);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED: a trial reached 0.2 (searcher.target_metric)");
}

TEST(Search, AMetricNeverReportedIsAnErrorThatNamesWhatWas) {
  Cluster cluster("1x1");
  cluster.submit(random_search(1, 1));
  cluster.report_values(1, 5, Value::Object{{"accuracy", 0.5}, {"val_loss", 1}});
  EXPECT_EQ(cluster.message(1),
            R"(searcher metric "loss" was never reported; reported: accuracy, val_loss)");
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.experiments(),
            "1 ERROR: no trial gave a valid metric: every trial failed; trial 1: searcher metric "
            "\"loss\" was never reported; reported: accuracy, val_loss");
}

TEST(Search, ATextMetricIsAnErrorThatSaysSo) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.report_values(1, 5, Value::Object{{"loss", Value::Object{{"type", "text"}}}});
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.message(1),
            R"(searcher metric "loss" was reported as text, but must be a number; reported: loss)");
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::error);
}

TEST(Search, ATrialWithoutAnyValidationIsAnErrorToASearchOnly) {
  Cluster cluster("1x2");
  cluster.submit(random_search(1, 1));
  cluster.submit(single(1));
  cluster.exit_all(1, 0);
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.trials(), "1 ERROR; 2 COMPLETED");
  EXPECT_EQ(cluster.message(1), R"(searcher metric "loss" was never reported; reported: nothing)");
  EXPECT_EQ(cluster.message(2), cluster.message(1)) << "a program that reports nothing is told so";
}

TEST(Search, AGoodReportTakesTheWarningBack) {
  Cluster cluster("1x1");
  cluster.submit(random_search(1, 1));
  cluster.report_values(1, 5, Value::Object{{"accuracy", 0.5}});
  cluster.report(1, 6, 0.5);
  EXPECT_EQ(cluster.message(1), "");
  cluster.report_values(1, 7, Value::Object{{"accuracy", 0.5}});
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(Search, ACompleteSearchTellsWhichTrialsFailed) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1, "max_restarts: 0\n"));
  cluster.exit_all(1, 3);
  cluster.report(2, 1, 0.5);
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: 1 of 2 trials failed; trial 1: rank 0 exited with 3");
}

TEST(Search, WhoseTrialsWereAllInvalidSaysThatItFoundNothing) {
  Cluster cluster("1x1");
  cluster.submit(grid(2));
  cluster.exit_all(1, 78);
  cluster.exit_all(2, 78);
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: no trial gave a valid metric: every trial had invalid hyperparameters; "
            "trial 2: invalid hyperparameters: rank 0 exited with 78");
}

TEST(Search, ThatFoundNothingCountsTheReasons) {
  Cluster cluster("1x1");
  cluster.submit(grid(4, "max_restarts: 0\n"));
  cluster.exit_all(1, 3);
  cluster.exit_all(2, 78);
  cluster.report(3, 1, "NaN");
  cluster.exit_all(3, 0);
  cluster.exit_all(4, 3);
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: no trial gave a valid metric: 2 of 4 trials failed, 1 had invalid "
            "hyperparameters, 1 reported no number but NaN; trial 4: rank 0 exited with 3");
}

TEST(Search, ThatAPersonEndsIsNotBlamedForFindingNothing) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  cluster.order(1, Verb::kill);
  EXPECT_EQ(cluster.experiments(), "1 CANCELED");
}

TEST(Search, EndsInsteadOfReplacingInvalidTrialsForEver) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  for (int trial = 1; trial <= 101; ++trial) cluster.exit_all(trial, 78);
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: no trial gave a valid metric: every trial had invalid hyperparameters; "
            "trial 101: invalid hyperparameters: rank 0 exited with 78");
}

TEST(Search, ACopyStartsFromItsParentsLatestCheckpoint) {
  Cluster cluster("1x4");
  cluster.submit(configured("name: pbt, population_size: 2, interval: 10, max_time: 100", 1));
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a");
  cluster.report(1, 10, 0.1);
  cluster.report(2, 10, 0.9);
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::completed);
  EXPECT_EQ(cluster.attempt(3).resumed_from, CheckpointId{"a"});
  cluster.checkpoint(1, "b", 20);
  cluster.upload(1, "b");
  cluster.exit_all(3, 75);
  cluster.restart();
  EXPECT_EQ(cluster.attempt(3).attempt, 2);
  EXPECT_EQ(cluster.attempt(3).resumed_from, CheckpointId{"a"}) << "it has none of its own yet";
}

TEST(Search, ProgressMovesTheExperimentButIsNoEvent) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  const std::int64_t events = events_of(cluster);
  const InboxRow row{.id = {900},
                     .allocation = cluster.attempt(1).id,
                     .seq = 1,
                     .kind = RecordKind::progress,
                     .body = Value::Object{{"fraction", 0.5}}};
  cluster.rows.inbox.emplace(row.id, row);
  cluster.step(InboxArrived{{row}});
  EXPECT_EQ(cluster.rows.trials.at({1}).progress, 0.5);
  EXPECT_EQ(cluster.rows.experiments.at({1}).progress, 0.25);
  EXPECT_EQ(events_of(cluster), events);
}

TEST(Search, KeepsASnapshotEvery256EventsAndGoesOnFromIt) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  for (int at = 1; at <= 300; ++at) cluster.report(1, at, 1.0 / at);
  EXPECT_EQ(cluster.rows.snapshots.at({1}).number, 256);
  EXPECT_EQ(cluster.rows.load(cluster.now).searcher_events.size(), 301u - 256u);
  cluster.restart();
  cluster.exit_all(1, 0);
  cluster.report(2, 1, 0.5);
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(Search, ASearchThatCannotBeReadBackEndsWithAnError) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  cluster.rows.events.at({1}).front().event = Value::Object{{"event", "from the future"}};
  cluster.restart();
  EXPECT_EQ(
      cluster.experiments(),
      "1 ERROR: cannot go on after a restart: event 1 of the search of experiment 1: no trial "
      "-1");
  EXPECT_EQ(cluster.trials(), "1 CANCELED; 2 CANCELED");
}

}  // namespace
}  // namespace dt::core
