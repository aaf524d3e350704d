// The life of trials and experiments, from submit to their end.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

TEST(Lifecycle, StartsInTwoPhasesWithOneRankTable) {
  Cluster cluster("2x2");
  cluster.agent("n1").obeys = cluster.agent("n2").obeys = false;
  cluster.submit(single(4));
  EXPECT_EQ(cluster.wanted("n1"), "1.1 prepare");
  EXPECT_EQ(cluster.wanted("n2"), "1.1 prepare");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE PREPARING n1:2 n2:2");
  EXPECT_EQ(cluster.agent("n2").wanted[0].assignment->first_rank, 2);
  EXPECT_EQ(cluster.agent("n2").wanted[0].assignment->size, 4);

  const auto says = [&](const char* agent, AllocationPhase phase, int port) {
    cluster.agent(agent).held[{1, 1}] = {
        .allocation = {1, 1}, .phase = phase, .address = port ? "10.0.0.1" : "", .port = port};
    cluster.beat(agent);
  };
  says("n2", AllocationPhase::ready, 0);
  EXPECT_EQ(cluster.wanted("n2"), "1.1 prepare") << "n1 is not ready";
  says("n1", AllocationPhase::ready, 4321);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 start");
  EXPECT_EQ(cluster.wanted("n2"), "1.1 start");
  const RankTable& table = *cluster.agent("n2").wanted[0].table;
  EXPECT_EQ(cat(table.master_address, ':', table.master_port), "10.0.0.1:4321");
  ASSERT_EQ(table.ranks.size(), 4u);
  EXPECT_EQ(table.ranks[3], (RankPlace{3, 1, 1, "n2.example"}));

  says("n1", AllocationPhase::running, 4321);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 start");
  says("n2", AllocationPhase::running, 0);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 run");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:2 n2:2");
}

TEST(Lifecycle, ASearchEndsWhenItsTrialsHaveEnded) {
  Cluster cluster("1x2");
  EXPECT_EQ(cluster.submit(random_search(3, 1)), R"({"id":1,"warnings":[]})");
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1; 3 ACTIVE (needs 1 slot; 0 of 2 are free)");
  cluster.report(2, 10, 0.5);
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 COMPLETED; 3 ACTIVE runs n1:1");
  cluster.report(1, 10, 0.7);
  cluster.exit_all(1, 0);
  cluster.report(3, 10, 0.6);
  cluster.exit_all(3, 0);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.rows.experiments.at({1}).best_trial, TrialId{2});
  EXPECT_EQ(cluster.rows.experiments.at({1}).best_metric, 0.5);
  EXPECT_EQ(cluster.rows.experiments.at({1}).progress, 1);
  EXPECT_TRUE(cluster.master->dump().experiments.empty()) << "what is over is not in memory";
}

TEST(Lifecycle, PauseLetsRanksCheckpointAndActivateGoesOn) {
  Cluster cluster("1x2");
  cluster.submit(single(2));
  EXPECT_EQ(cluster.order(1, Verb::pause), R"({"state":"PAUSED"})");
  EXPECT_EQ(cluster.trials(), "1 PAUSED (paused)");
  EXPECT_EQ(cluster.outcomes(), "1.1 preempted");
  EXPECT_EQ(cluster.order(1, Verb::pause), R"({"state":"PAUSED"})") << "again, no effect";
  cluster.order(1, Verb::activate);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:2");
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 2);
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
}

TEST(Lifecycle, APreemptDeadlineEndsInAKill) {
  Cluster cluster("1x1");
  cluster.submit(single(1, "preemption_timeout: 60\n"));
  cluster.agent("n1").obeys = false;
  cluster.order(1, Verb::pause);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 preempt");
  EXPECT_EQ(cluster.agent("n1").wanted[0].preempt_left, Duration(60'000));
  cluster.wait(Duration(20'000));
  cluster.beat("n1");
  EXPECT_EQ(cluster.agent("n1").wanted[0].preempt_left, Duration(40'000));
  cluster.wait(Duration(40'000));
  EXPECT_EQ(cluster.wanted("n1"), "1.1 kill");
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.outcomes(), "1.1 preempted: rank 0 was ended by signal 9") << "no failure";
  EXPECT_EQ(cluster.trials(), "1 PAUSED (paused)");
}

TEST(Lifecycle, CancelPreemptsAndKillDoesNotWait) {
  Cluster cluster("1x2");
  cluster.submit(random_search(2, 1));
  cluster.agent("n1").obeys = false;
  EXPECT_EQ(cluster.order(1, Verb::cancel), R"({"state":"STOPPING_CANCELED"})");
  EXPECT_EQ(cluster.wanted("n1"), "1.1 preempt; 1.2 preempt");
  EXPECT_EQ(cluster.order(1, Verb::kill), R"({"state":"STOPPING_KILLED"})");
  EXPECT_EQ(cluster.wanted("n1"), "1.1 kill; 1.2 kill");
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.trials(), "1 CANCELED; 2 CANCELED");
  EXPECT_EQ(cluster.experiments(), "1 CANCELED");
  EXPECT_EQ(cluster.outcomes(), "1.1 killed; 2.1 killed");
}

TEST(Lifecycle, CanceledTrialsThatWaitEndAtOnce) {
  Cluster cluster("");
  cluster.submit(random_search(2, 1));
  EXPECT_EQ(cluster.order(1, Verb::cancel), R"({"state":"CANCELED"})");
  EXPECT_EQ(cluster.trials(), "1 CANCELED; 2 CANCELED");
}

TEST(Lifecycle, RefusesVerbsThatDoNotFitTheState) {
  Cluster cluster("1x1");
  EXPECT_EQ(cluster.order(5, Verb::pause), "not_found: experiment 5 does not exist");
  cluster.submit(single(1));
  cluster.agent("n1").obeys = false;
  cluster.order(1, Verb::kill);
  EXPECT_EQ(cluster.order(1, Verb::activate),
            "failed_precondition: experiment 1 is STOPPING_KILLED; cannot activate it (wait until it has "
            "ended)");
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.order(1, Verb::kill),
            "failed_precondition: experiment 1 is CANCELED; cannot kill it (dtctl experiment continue lets "
            "an ended one go on)");
}

TEST(Lifecycle, SubmittedPausedItWaitsForActivate) {
  Cluster cluster("1x1");
  cluster.submit(single(1), "", true);
  EXPECT_EQ(cluster.trials(), "1 PAUSED (paused)");
  cluster.order(1, Verb::activate);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
}

TEST(Lifecycle, AFailureCostsARestartUntilNoneIsLeft) {
  Cluster cluster("1x2");
  cluster.submit(single(2, "max_restarts: 1\n"));
  cluster.exit(1, 1, 3);
  EXPECT_EQ(cluster.outcomes(), "1.1 failed: rank 1 exited with 3; 1.2 -");
  EXPECT_EQ(cluster.message(1), "attempt 1 failed: rank 1 exited with 3; restart 1 of 1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:2");
  cluster.exit(1, 0, 137, 9);
  EXPECT_EQ(cluster.trials(), "1 ERROR");
  EXPECT_EQ(cluster.experiments(),
            "1 ERROR: every trial failed; trial 1: rank 0 was ended by signal 9 after 1 restarts");
}

TEST(Lifecycle, OneDeadRankEndsTheOthersOnEveryNode) {
  Cluster cluster("2x1");
  cluster.submit(single(2));
  cluster.agent("n1").obeys = cluster.agent("n2").obeys = false;
  cluster.exit_heard(1, 1, 1);
  EXPECT_EQ(cluster.wanted("n1"), "1.1 kill") << "said as soon as the heartbeat tells";
  EXPECT_EQ(cluster.wanted("n2"), "") << "its share has ended";
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs") << "slots are free, the exit is not yet read";
}

TEST(Lifecycle, AnExitIsJudgedOnlyWhenEverythingBeforeItWasRead) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.exit_heard(1, 0, 0);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs") << "the slot is free, the trial is undecided";
  cluster.report(1, 5, 0.25);
  cluster.exit_read(1, 0);
  EXPECT_EQ(cluster.trials(), "1 COMPLETED");
  EXPECT_EQ(cluster.rows.trials.at({1}).best_metric, 0.25);
}

TEST(Lifecycle, InvalidHyperparametersAreReplaced) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  cluster.exit_all(1, 78);
  EXPECT_EQ(cluster.message(1), "invalid hyperparameters: rank 0 exited with 78");
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::completed);
  EXPECT_EQ(cluster.rows.trials.size(), 3u) << "two good ones are still to come";
}

TEST(Lifecycle, ALostShimCostsNoRestart) {
  Cluster cluster("2x1");
  cluster.submit(single(2));
  cluster.lose(1, 1);
  EXPECT_EQ(cluster.outcomes(), "1.1 infrastructure: its shim died; 1.2 -");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1 n2:1");
}

TEST(Lifecycle, APrepareThatFailsEndsTheTrial) {
  Cluster cluster("2x1");
  cluster.agent("n1").obeys = cluster.agent("n2").obeys = false;
  cluster.submit(single(2));
  cluster.fail(1, 0, "prepare failed with exit code 2", false);
  EXPECT_EQ(cluster.wanted("n2"), "1.1 kill");
  cluster.agent("n2").obeys = true;
  cluster.beat("n2");
  EXPECT_EQ(cluster.trials(), "1 ERROR");
  EXPECT_EQ(cluster.experiments(),
            "1 ERROR: every trial failed; trial 1: prepare failed with exit code 2");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
}

TEST(Lifecycle, StartsThatFailByInfrastructureAreTriedEverLater) {
  Cluster cluster("1x1");
  cluster.agent("n1").obeys = false;
  cluster.submit(single(1));
  for (int failure = 1; failure < 10; ++failure) {
    cluster.fail(1, 0, "port 4000 is taken", true);
    EXPECT_EQ(cluster.trials(), cat("1 ACTIVE (waits after ", failure, " failed start",
                                    failure == 1 ? "" : "s", ": port 4000 is taken)"));
    cluster.agent("n1").held.clear();
    const std::int64_t wait = std::min<std::int64_t>(1000LL << (failure - 1), 60'000);
    cluster.wait(Duration(wait - 1));
    EXPECT_EQ(cluster.rows.trials.at({1}).attempts, failure);
    cluster.wait(Duration(1));
    EXPECT_EQ(cluster.rows.trials.at({1}).attempts, failure + 1);
  }
  cluster.fail(1, 0, "port 4000 is taken", true);
  EXPECT_EQ(cluster.message(1),
            "could not be started 10 times in a row; the last time: port 4000 is taken");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::error);
}

TEST(Lifecycle, APrepareThatTakesTooLongReleasesAllNodes) {
  Cluster cluster("2x1", {.agent_lease = Duration(0), .prepare_timeout = Duration(5'000)});
  cluster.agent("n2").obeys = false;
  cluster.submit(single(2));
  cluster.wait(Duration(4'999));
  EXPECT_EQ(cluster.wanted("n1"), "1.1 prepare");
  cluster.wait(Duration(1));
  EXPECT_EQ(cluster.trials(), "1 ACTIVE PREPARING n2:1") << "n2 has said nothing yet";
  cluster.agent("n2").obeys = true;
  cluster.beat("n2");
  EXPECT_EQ(cluster.outcomes(), "1.1 infrastructure: not running within 5 s");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE (waits after 1 failed start: not running within 5 s)");
}

TEST(Lifecycle, ARankPreemptedByItsLeaseTakesTheOthersWithIt) {
  Cluster cluster("2x1");
  cluster.submit(single(2));
  cluster.exit(1, 0, 75);
  EXPECT_EQ(cluster.outcomes(), "1.1 preempted; 1.2 -");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
}

}  // namespace
}  // namespace dt::core
