// What becomes of an ended experiment's checkpoints that its policy does not keep.
#include "core/experiment/checkpoint_keep.h"
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

// A single trial ends with two stored checkpoints.
void end_with_two_checkpoints(Cluster& cluster) {
  cluster.submit(single(1));
  for (const int step : {10, 20}) {
    cluster.checkpoint(1, cat("c", step), step);
    cluster.upload(1, cat("c", step));
  }
  cluster.report(1, 20, 0.5);
  cluster.exit_all(1, 0);
}

TEST(KeptCheckpoints, AreTheBestAndTheLatest) {
  const std::vector<CheckpointFact> facts = {{{"a"}, {1}, 0.3}, {{"b"}, {1}, 0.1},
                                             {{"c"}, {1}, {}},  {{"d"}, {2}, 0.2},
                                             {{"e"}, {2}, 0.2}, {{"f"}, {2}, 0.9}};
  const auto kept = [&](int experiment_best, int trial_best, int trial_latest,
                        bool smaller = true) {
    const CheckpointStorageConfig policy{.save_experiment_best = experiment_best,
                                         .save_trial_best = trial_best,
                                         .save_trial_latest = trial_latest};
    std::string text;
    for (const CheckpointId& id : kept_checkpoints(facts, policy, smaller)) text += id.value;
    return text;
  };
  EXPECT_EQ(kept(0, 0, 0), "");
  EXPECT_EQ(kept(0, 1, 1), "bcdf");
  EXPECT_EQ(kept(2, 0, 0), "bd") << "of equal ones the earlier";
  EXPECT_EQ(kept(1, 0, 0, false), "f");
  EXPECT_EQ(kept(0, 9, 0), "abdef") << "one without a metric is never the best";
}

TEST(TidyCheckpoints, RowsSayThatTheyAreDeletedAndATrialKeepsWhatIsLeft) {
  Cluster cluster("1x1");
  end_with_two_checkpoints(cluster);
  cluster.step(CheckpointsTidied{.request = {.token = 1},
                                 .experiment = {1},
                                 .deleted = {{"c20"}},
                                 .latest = {{{1}, {"c10"}}}});
  EXPECT_EQ(cluster.last_reply, R"({"deleted":1})");
  EXPECT_EQ(cluster.rows.checkpoints.at({"c20"}).state, CheckpointState::deleted);
  EXPECT_EQ(cluster.rows.changes.back().kind, "checkpoint");
  EXPECT_FALSE(cluster.rows.experiments.at({1}).tidied) << "its files are still there";
  cluster.step(CheckpointsTidied{.request = {.token = 1}, .experiment = {1}, .done = true});
  EXPECT_TRUE(cluster.rows.experiments.at({1}).tidied);
  cluster.go_on(1);
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"c10"});
  EXPECT_FALSE(cluster.rows.experiments.at({1}).tidied) << "it will have new ones";
}

TEST(TidyCheckpoints, OfAContinuedExperimentAreLeftAlone) {
  Cluster cluster("1x1");
  end_with_two_checkpoints(cluster);
  cluster.go_on(1);
  cluster.step(CheckpointsTidied{.request = {.token = 1}, .experiment = {1}, .deleted = {{"c10"}}});
  EXPECT_EQ(cluster.last_reply,
            "failed_precondition: experiment 1 is ACTIVE; its checkpoints are left alone");
  EXPECT_EQ(cluster.rows.checkpoints.at({"c10"}).state, CheckpointState::stored);
}

}  // namespace
}  // namespace dt::core
