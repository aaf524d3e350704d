// Agents and slots that people drain, disable and enable.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

TEST(AgentStates, ADrainedAgentFinishesWhatItHasAndGetsNoMore) {
  Cluster cluster("1x2");
  cluster.submit(random_search(3, 1));
  EXPECT_EQ(cluster.set_state("n1", AgentState::draining), R"({"withdrawn":0})");
  cluster.report(1, 10, 0.5);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.trials(),
            "1 COMPLETED; 2 ACTIVE runs n1:1; 3 ACTIVE (no agent of pool default takes trials: all "
            "are drained, disabled or away)");
  cluster.restart();
  EXPECT_EQ(cluster.rows.agents.at({"n1"}).state, AgentState::draining) << "it is kept";
  EXPECT_EQ(cluster.set_state("n1", AgentState::enabled), R"({"withdrawn":0})");
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 ACTIVE runs n1:1; 3 ACTIVE runs n1:1");
}

TEST(AgentStates, ADisabledAgentsTrialsCheckpointAndGoElsewhere) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "c1", 10);
  cluster.upload(1, "c1");
  EXPECT_EQ(cluster.set_state("n1", AgentState::disabled), R"({"withdrawn":1})");
  EXPECT_EQ(cluster.outcomes(), "1.1 preempted");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE (no agent of pool default takes trials: all are drained, disabled or away)");
  cluster.set_state("n1", AgentState::enabled);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"c1"});
}

TEST(AgentStates, ADisabledSlotIsNotUsed) {
  Cluster cluster("1x2");
  EXPECT_EQ(cluster.set_slots("n1", {"cpu0"}, false), R"({"withdrawn":0})");
  cluster.submit(random_search(2, 1));
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE runs n1:1; 2 ACTIVE (needs 1 slot; 0 of 1 are free (1 slot disabled))");
  EXPECT_EQ(cluster.attempt(1).nodes[0].slot_ids, std::vector<std::string>{"cpu1"});
  EXPECT_EQ(cluster.set_slots("n1", {"cpu0"}, true), R"({"withdrawn":0})");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.set_slots("n1", {"cpu7"}, false),
            "not_found: agent n1 has no slot cpu7 (it has cpu0, cpu1)");
  EXPECT_EQ(cluster.set_slots("n9", {"cpu0"}, false),
            "not_found: agent n9 does not exist (dtctl agent list)");
}

TEST(AgentStates, WhatRunsOnADisabledSlotGoesUnlessItMayFinish) {
  Cluster cluster("1x2");
  cluster.submit(random_search(2, 1));
  EXPECT_EQ(cluster.set_slots("n1", {"cpu0"}, false, true), R"({"withdrawn":0})");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.set_slots("n1", {"cpu0"}, false), R"({"withdrawn":1})");
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE (needs 1 slot; 0 of 1 are free (1 slot disabled)); 2 ACTIVE runs n1:1");
}

}  // namespace
}  // namespace dt::core
