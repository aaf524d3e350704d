// Pools with other schedulers than the default, in a cluster that lives.
#include <gtest/gtest.h>

#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

MasterOptions with(PoolConfig config) {
  return {.agent_lease = {}, .pools = {{"default", config}}};
}

int running(const Cluster& cluster, int first, int last) {
  int count = 0;
  for (int trial = first; trial <= last; ++trial) {
    count += cluster.master->why_waiting({trial}).empty() ? 1 : 0;
  }
  return count;
}

std::string outcome_of_first(const Cluster& cluster) {
  return cluster.rows.allocations.at({.epoch = 1, .number = 1}).outcome;
}

// Weight comes from the configuration; both searches ask for more than there is.
TEST(Pool, FairShareGivesEachExperimentItsPart) {
  Cluster cluster("1x4", with({.scheduler = SchedulerKind::fair_share}));
  cluster.cut("n1");
  ParsedConfig heavy = random_search(4, 1);
  heavy.config.resources.weight = 3;
  cluster.submit(heavy);
  cluster.submit(random_search(4, 1));
  cluster.join("n1");
  EXPECT_EQ(running(cluster, 1, 4), 3);
  EXPECT_EQ(running(cluster, 5, 8), 1);
}

TEST(Pool, FifoStartsNothingBeforeItsTurn) {
  Cluster cluster("1x4", with({.scheduler = SchedulerKind::fifo}));
  cluster.submit(single(3));
  cluster.submit(single(4));
  cluster.submit(single(1));
  EXPECT_EQ(cluster.master->why_waiting({3}),
            "waits behind trial 2, which needs 4 slots; 1 of 4 are free");
}

TEST(Pool, AttainedServicePreemptsWhatHasRunLong) {
  Cluster cluster("1x4", with({.scheduler = SchedulerKind::attained}));
  cluster.submit(single(4));
  cluster.wait(std::chrono::hours(1));
  EXPECT_EQ(outcome_of_first(cluster), "");
  cluster.submit(single(1));
  EXPECT_EQ(outcome_of_first(cluster), "preempted");
  EXPECT_EQ(cluster.master->why_waiting({2}), "");
  EXPECT_NE(cluster.master->why_waiting({1}), "");
}

// Nobody else does anything: the level's own end is what starts the waiting trial.
TEST(Pool, AttainedServiceLooksAgainWhenALevelEnds) {
  Cluster cluster("1x4", with({.scheduler = SchedulerKind::attained}));
  cluster.submit(single(4));
  cluster.submit(single(1));
  EXPECT_EQ(cluster.master->why_waiting({2}), "needs 1 slot; 0 of 4 are free");
  cluster.wait(std::chrono::minutes(3));
  EXPECT_EQ(outcome_of_first(cluster), "");
  cluster.wait(std::chrono::minutes(1));
  EXPECT_EQ(outcome_of_first(cluster), "preempted");
  EXPECT_EQ(cluster.master->why_waiting({2}), "");
}

TEST(Pool, ATrialRunsOnlyOnTheModelsThatItAllows) {
  Cluster cluster("2x1");
  for (const std::string id : {"n1", "n2"}) {
    cluster.cut(id);
    cluster.agent(id).hello.slots[0].device = id == "n1" ? "NVIDIA T4" : "NVIDIA A100-40GB";
    cluster.join(id);
  }
  const auto on = [](std::vector<std::string> models) {
    ParsedConfig config = single(1);
    config.config.resources.gpu_models = std::move(models);
    return config;
  };
  cluster.submit(on({"A100", "H100"}));
  cluster.submit(on({"A100"}));
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE runs n2:1; 2 ACTIVE (needs 1 slot of NVIDIA A100-40GB; 1 of 2 are free)");
  EXPECT_EQ(cluster.submit(on({"V100"})),
            "failed_precondition: resources.slots_per_trial: 1 slot asked, but the largest gang that "
            "pool default can hold on the GPU models asked for has 0 (ask for fewer slots, or start "
            "agents with more)");
}

// Lets the attempt of trial 1 end before its ranks ran, though the trial shall go on.
void make_it_leave(Cluster& cluster) {
  const AllocationId id = cluster.attempt(1).id;
  cluster.order(1, Verb::pause);
  cluster.order(1, Verb::activate);
  cluster.agent("n1").held[id] = {.allocation = id, .phase = AllocationPhase::ended};
  cluster.beat("n1");
  cluster.agent("n1").held.erase(id);
}

// Else it would begin and end many times a second while a request before it waits for others.
TEST(Pool, WhoMustLeaveBeforeItRunsComesBackEverLater) {
  Cluster cluster("1x1", with({}));
  cluster.agent("n1").obeys = false;
  cluster.submit(single(1));
  make_it_leave(cluster);
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 2) << "the first time at once";
  int attempts = 2;
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    make_it_leave(cluster);
    EXPECT_EQ(cluster.master->why_waiting({1}), "waits after it had to make room");
    cluster.wait(std::chrono::seconds(seconds) - Duration(1));
    EXPECT_EQ(cluster.rows.trials.at({1}).attempts, attempts) << "before " << seconds << " s";
    cluster.wait(Duration(1));
    EXPECT_EQ(cluster.rows.trials.at({1}).attempts, ++attempts) << "after " << seconds << " s";
  }
}

}  // namespace
}  // namespace dt::core
