// A custom search: what a program proposes becomes trials, and survives a restart as it was said.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

ParsedConfig custom() { return configured("name: custom", 1); }

std::string propose(Cluster& cluster, const Proposal& proposal, const std::string& id = "") {
  cluster.step(
      SearchProposed{.request = {.request_id = id, .user = "ann", .digest = id, .token = 1},
                     .experiment = {1},
                     .proposal = proposal});
  return cluster.last_reply;
}

ProposeTrial point(double lr) { return {.hparams = Value::Object{{"lr", lr}}}; }

TEST(Proposals, MakeTrialsWithTheirPointAndAnswerTheNumber) {
  Cluster cluster("1x2");
  cluster.submit(custom());
  EXPECT_EQ(cluster.experiments(), "1 ACTIVE") << "it waits for proposals";
  EXPECT_EQ(propose(cluster, point(0.25)), R"({"trial":0,"trial_id":1})");
  EXPECT_EQ(propose(cluster, point(0.5)), R"({"trial":1,"trial_id":2})");
  EXPECT_EQ(cluster.rows.trials.at({2}).hparams["lr"], Value(0.5));
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1");
}

TEST(Proposals, StopPauseAndResumeTrialsAndEndTheSearch) {
  Cluster cluster("1x2");
  cluster.submit(custom());
  propose(cluster, point(0.25));
  propose(cluster, point(0.5));
  propose(cluster, PauseTrial{0});
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::paused);
  propose(cluster, StopTrial{1});
  EXPECT_EQ(cluster.rows.trials.at({2}).state, TrialState::completed);
  propose(cluster, ResumeTrial{0});
  EXPECT_EQ(cluster.rows.trials.at({1}).state, TrialState::active);
  propose(cluster, FinishSearch{});
  EXPECT_EQ(cluster.experiments(), "1 ACTIVE") << "one still trains";
  cluster.report(1, 1, 0.5);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.rows.experiments.at({1}).state, ExperimentState::completed);
}

TEST(Proposals, AreRefusedWithTheNameOfWhatIsWrongAndChangeNothing) {
  Cluster cluster("1x2");
  cluster.submit(custom());
  const std::size_t events = cluster.rows.events.at({1}).size();
  EXPECT_NE(propose(cluster, point(7)).find("lr"), std::string::npos) << cluster.last_reply;
  EXPECT_NE(propose(cluster, StopTrial{4}).find("no trial 4"), std::string::npos);
  EXPECT_EQ(cluster.rows.events.at({1}).size(), events);
  EXPECT_TRUE(cluster.rows.trials.empty());
}

TEST(Proposals, ASearchThatProposesItsOwnTrialsTakesNone) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  EXPECT_NE(propose(cluster, point(0.5)).find("only a custom one is told"), std::string::npos);
}

TEST(Proposals, HaveOneEffectHoweverOftenTheyAreSent) {
  Cluster cluster("1x2");
  cluster.submit(custom());
  const std::string first = propose(cluster, point(0.25), "mine");
  EXPECT_EQ(propose(cluster, point(0.25), "mine"), first);
  EXPECT_EQ(cluster.rows.trials.size(), 1u);
}

TEST(Proposals, SurviveARestartOfTheMaster) {
  Cluster cluster("1x2");
  cluster.submit(custom());
  propose(cluster, point(0.25));
  propose(cluster, PauseTrial{0});
  cluster.restart();
  EXPECT_EQ(propose(cluster, point(0.5)), R"({"trial":1,"trial_id":2})");
  propose(cluster, ResumeTrial{0});
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1");
}

}  // namespace
}  // namespace dt::core
