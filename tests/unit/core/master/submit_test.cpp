// What a submit needs to be accepted, and requests that are repeated.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

TEST(Submit, RefusesAGangThatNoPoolCanEverHold) {
  Cluster cluster("1x4 1x2");
  EXPECT_EQ(cluster.submit(single(8)),
            "failed_precondition: resources.slots_per_trial: 8 slots asked, but the largest gang "
            "that pool default can hold has 4 (ask for fewer slots, or start agents with more)");
  EXPECT_EQ(cluster.rows.experiments.size(), 0u);
  EXPECT_EQ(cluster.submit(single(4)), R"({"id":1,"warnings":[]})");
}

TEST(Submit, CountsAgentsThatAreAwayAsPartOfThePool) {
  Cluster cluster("1x4");
  cluster.cut("n1");
  cluster.submit(single(4));
  EXPECT_EQ(cluster.trials(), "1 ACTIVE (no agent of pool default is connected)");
  cluster.join("n1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:4");
}

TEST(Submit, AnEmptyPoolIsWaitedFor) {
  Cluster cluster("");
  EXPECT_EQ(cluster.submit(single(64)),
            R"({"id":1,"warnings":["no agent has joined pool default"]})");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE (no agent has joined pool default)");
}

TEST(Submit, NamesTheKnownPools) {
  Cluster cluster("1x1", {.pools = {{"cpu", {}}, {"default", {}}}});
  ParsedConfig config = single(1);
  config.config.resources.resource_pool = "gpus";
  EXPECT_EQ(cluster.submit(config),
            "invalid_argument: resources.resource_pool: pool gpus does not exist (known pools: "
            "cpu, default)");
}

TEST(Submit, MaxSlotsIsNeverExceeded) {
  Cluster cluster("1x8");
  ParsedConfig config = random_search(4, 2);
  config.config.resources.max_slots = 4;
  cluster.submit(config);
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE runs n1:2; 2 ACTIVE runs n1:2; "
            "3 ACTIVE (experiment 1 may hold 4 slots (resources.max_slots) and holds 4); "
            "4 ACTIVE (experiment 1 may hold 4 slots (resources.max_slots) and holds 4)");
  config.config.resources.slots_per_trial = 5;
  EXPECT_EQ(cluster.submit(config),
            "invalid_argument: resources.slots_per_trial: 5 slots asked, but resources.max_slots "
            "is 4 (ask for fewer slots, or start agents with more)");
}

TEST(Submit, ARepeatedRequestHasOneEffect) {
  Cluster cluster("1x1");
  const std::string first = cluster.submit(single(1), "r1");
  EXPECT_EQ(cluster.submit(single(1), "r1"), first);
  cluster.restart();
  EXPECT_EQ(cluster.submit(single(1), "r1"), first) << "after a restart of the master too";
  EXPECT_EQ(cluster.rows.experiments.size(), 1u);
  EXPECT_EQ(cluster.order(1, Verb::pause, "r1"),
            "already_exists: request id r1 was used for another request (make a new request id "
            "for every new request)");
}

TEST(Submit, ARefusalIsRepeatedToo) {
  Cluster cluster("1x1");
  const std::string refusal = cluster.submit(single(9), "r1");
  EXPECT_EQ(refusal.substr(0, 20), "failed_precondition:");
  EXPECT_EQ(cluster.submit(single(9), "r1"), refusal);
}

TEST(Submit, RequestsAreForgottenAfterADay) {
  Cluster cluster("1x4");
  cluster.submit(single(1), "r1");
  cluster.wait(Duration(24 * 3600 * 1000 - 1));
  EXPECT_EQ(cluster.master->dump().requests.size(), 1u);
  cluster.wait(Duration(1));
  EXPECT_EQ(cluster.master->dump().requests.size(), 0u);
}

TEST(Submit, ATrialSeedOfTheConfigurationIsEveryTrials) {
  Cluster cluster("1x4");
  cluster.submit(random_search(2, 1));
  cluster.submit(random_search(2, 1, "reproducibility: {experiment_seed: 7, trial_seed: 4242}\n"));
  EXPECT_NE(cluster.rows.trials.at({1}).seed, cluster.rows.trials.at({2}).seed);
  EXPECT_EQ(cluster.rows.trials.at({3}).seed, 4242u);
  EXPECT_EQ(cluster.rows.trials.at({4}).seed, 4242u);
  EXPECT_NE(cluster.rows.trials.at({3}).hparams, cluster.rows.trials.at({4}).hparams);
}

TEST(Submit, ManyAtOnceHaveAResultEach) {
  Cluster cluster("1x2");
  ExperimentsSubmitted event{.request = {.token = 1}};
  for (const int slots : {1, 9, 1}) event.experiments.push_back({.config = single(slots)});
  cluster.step(event);
  EXPECT_EQ(cluster.last_reply,
            R"([{"id":1,"warnings":[]},{"error":{"code":9,"hint":"ask for fewer slots, or start )"
            R"(agents with more","message":"resources.slots_per_trial: 9 slots asked, but the )"
            R"(largest gang that pool default can hold has 2"}},{"id":2,"warnings":[]}])");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1");
}

// Slots are granted once, after all events that came together, so the more urgent one wins.
TEST(Submit, EventsThatComeTogetherAreScheduledTogether) {
  Cluster cluster("1x1");
  ParsedConfig urgent = single(1);
  urgent.config.resources.priority = 1;
  const std::vector<MasterEvent> events = {ExperimentSubmitted{.config = single(1)},
                                           ExperimentSubmitted{.config = urgent}};
  const Effects effects = cluster.master->step(cluster.now, events);
  cluster.rows.write(effects.writes);
  ASSERT_EQ(effects.writes.allocations.size(), 1u);
  EXPECT_EQ(effects.writes.allocations[0].trial, TrialId{2});
}

TEST(Submit, HigherPriorityGoesFirstAndSaysWhatWaits) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.submit(single(1));
  ParsedConfig urgent = single(1);
  urgent.config.resources.priority = 1;
  cluster.submit(urgent);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.trials(),
            "1 COMPLETED; 2 ACTIVE (needs 1 slot; 0 of 1 are free); "
            "3 ACTIVE runs n1:1");
}

TEST(Submit, PreemptionMakesRoomWhereThePoolAllowsIt) {
  Cluster cluster("1x1", {.pools = {{"default", {.preemption = true}}}});
  cluster.submit(single(1));
  ParsedConfig urgent = single(1);
  urgent.config.resources.priority = 1;
  cluster.submit(urgent);
  EXPECT_EQ(cluster.outcomes(), "1.1 preempted; 2.1 -");
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 COMPLETED");
}

}  // namespace
}  // namespace dt::core
