// A search that pauses trials and promotes them later: what that means for slots, attempts and
// people.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

// Rungs at 1, 2 and 4 steps, divisor 2, two trials at a time.
ParsedConfig promoting(int trials) {
  return configured(
      cat("name: async_halving, promote: true, num_rungs: 3, divisor: 2, max_time: 4, ",
          "max_concurrent_trials: 2, max_trials: ", trials),
      1);
}

TEST(SearchPauses, APausedTrialGivesItsSlotBackAndResumesFromItsCheckpointAtNoCost) {
  Cluster cluster("1x2");
  cluster.submit(promoting(4));
  cluster.checkpoint(1, "a", 1);
  cluster.upload(1, "a");
  cluster.report(1, 1, 0.5);
  EXPECT_EQ(cluster.trials(),
            "1 PAUSED (paused by the search, which may resume it); 2 ACTIVE runs n1:1; "
            "3 ACTIVE runs n1:1");
  cluster.report(2, 1, 0.6);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::active);
  EXPECT_EQ(cluster.attempt(1).attempt, 2);
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"a"});
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::paused);
}

TEST(SearchPauses, WhatATrialSaysOnItsWayToThePauseIsJudgedWhenItIsPromoted) {
  Cluster cluster("1x2");
  cluster.submit(promoting(6));
  cluster.agent("n1").obeys = false;
  cluster.report(1, 1, 0.5);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 preempt; 1.2 run");
  cluster.report(1, 2, 0.4);  // the second rung
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  cluster.report(2, 1, 0.6);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::paused) << "it has its value already";
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 1);
  EXPECT_EQ(cluster.rows.trials.at({4}).state, TrialState::active) << "so a new one starts";
}

TEST(SearchPauses, ATrialThatEndedBeforeItsPauseIsJudgedAndStartsNothing) {
  Cluster cluster("1x2");
  cluster.submit(promoting(6));
  cluster.agent("n1").obeys = false;
  cluster.report(1, 1, 0.5);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::completed);
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  cluster.report(2, 1, 0.6);
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 1);
  EXPECT_EQ(cluster.rows.trials.at({4}).state, TrialState::active);
}

TEST(SearchPauses, PeopleWhoPauseAndActivateDoNotWakeWhatTheSearchHasPaused) {
  Cluster cluster("1x2");
  cluster.submit(promoting(4));
  cluster.report(1, 1, 0.5);
  cluster.order(1, Verb::pause);
  cluster.order(1, Verb::activate);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::paused);
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::active);
}

// The report comes while the experiment is being paused.
TEST(SearchPauses, ATrialPromotedInAPausedExperimentGoesOnWhenThatIsActivated) {
  Cluster cluster("1x2");
  cluster.submit(promoting(4));
  cluster.report(1, 1, 0.5);
  cluster.agent("n1").obeys = false;
  cluster.order(1, Verb::pause);
  cluster.report(2, 1, 0.6);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::paused);
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  cluster.order(1, Verb::activate);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::active);
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::paused);
}

TEST(SearchPauses, ARestartedMasterKnowsWhoIsPaused) {
  Cluster cluster("1x2");
  cluster.submit(promoting(4));
  cluster.report(1, 1, 0.5);
  cluster.restart();
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::paused);
  cluster.report(2, 1, 0.6);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::active);
}

TEST(SearchPauses, TheEndOfTheSearchCompletesThePausedOnes) {
  Cluster cluster("1x2");
  cluster.submit(promoting(2));
  cluster.report(1, 1, 0.5);
  cluster.report(2, 1, 0.4);  // goes on
  cluster.report(2, 2, 0.4);
  cluster.report(2, 4, 0.4);
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 COMPLETED");
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(SearchPauses, AKillEndsThePausedOnesToo) {
  Cluster cluster("1x2");
  cluster.submit(promoting(4));
  cluster.report(1, 1, 0.5);
  cluster.order(1, Verb::kill);
  EXPECT_EQ(cluster.trials(), "1 CANCELED; 2 CANCELED; 3 CANCELED");
  EXPECT_EQ(cluster.experiments(), "1 CANCELED");
}

}  // namespace
}  // namespace dt::core
