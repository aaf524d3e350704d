// Sessions, silences and identities of agents.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

constexpr Duration given_up{200'000};  // lease + kill_grace + 10 s

TEST(Agents, ASilentAgentIsGivenUpAfterItsLease) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  const std::string first = cluster.attempt(1).nodes[0].agent.value;
  cluster.wait(Duration(60'000));
  cluster.beat("n1");
  cluster.beat("n2");
  cluster.cut(first);
  cluster.wait(given_up - Duration(1));
  cluster.beat(first == "n1" ? "n2" : "n1");
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 1) << "its ranks may still train";
  cluster.wait(Duration(1));
  EXPECT_EQ(cluster.outcomes(),
            cat("1.1 infrastructure: agent ", first, " was silent for too long; 1.2 -"));
  EXPECT_NE(cluster.attempt(1).nodes[0].agent.value, first);
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
}

TEST(Agents, WithoutALeaseOnlyTheOperatorGivesUp) {
  Cluster cluster("1x1", {.agent_lease = Duration(0)});
  cluster.submit(single(1));
  cluster.cut("n1");
  cluster.wait(Duration(30LL * 24 * 3600 * 1000));
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.forget("n1"), "{}");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE (no agent has joined pool default)");
  EXPECT_EQ(cluster.outcomes(), "1.1 infrastructure: agent n1 was forgotten");
}

TEST(Agents, OnlyAnAgentThatIsGoneCanBeForgotten) {
  Cluster cluster("1x1");
  EXPECT_EQ(cluster.forget("n9"), "not_found: agent n9 does not exist (dtctl agent list)");
  EXPECT_EQ(cluster.forget("n1"),
            "failed_precondition: agent n1 is connected; only an agent that is gone can be "
            "forgotten (stop it first)");
}

TEST(Agents, TheSameMachineTakesOverAndItsAllocationsLiveOn) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  const std::int64_t session = cluster.agent("n1").session;
  cluster.join("n1");  // the agent crashed and is back; its shim kept the ranks
  EXPECT_EQ(cluster.agent("n1").session, session + 1);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.wanted("n1"), "1.1 run");
}

TEST(Agents, WordsOfAnEarlierSessionAreStale) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  FakeAgent& agent = cluster.agent("n1");
  const Heartbeat stale{
      .agent = {"n1"},
      .session = agent.session,
      .number = agent.heartbeats + 1,
      .allocations = {{.allocation = {1, 1}, .phase = AllocationPhase::lost, .failure = "x"}}};
  const std::int64_t link = agent.link;
  cluster.join("n1");
  cluster.step(AgentSpoke{.heartbeat = stale, .link = link});
  cluster.step(AgentSpoke{.heartbeat = stale, .link = agent.link});
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
}

TEST(Agents, ANewBootEndsWhatRanBefore) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.reboot("n1");
  EXPECT_EQ(cluster.outcomes(), "1.1 infrastructure: agent n1 was rebooted; 1.2 -");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
}

TEST(Agents, AnotherMachineUnderALiveLeaseIsRefusedNamingBoth) {
  Cluster cluster("1x1");
  FakeAgent& agent = cluster.agent("n1");
  AgentHello other = agent.hello;
  other.machine_id = "a copy";
  other.address = "copy.example";
  cluster.step(AgentJoined{.hello = other, .link = agent.link});
  EXPECT_EQ(agent.refusal,
            "agent n1 at n1.example has a live lease; the same agent id was used from copy.example "
            "(two machines share one data folder; give one of them a new data folder, or dtctl "
            "agent forget it once the other is gone)");
  cluster.step(AgentDisconnected{.agent = {"n1"}, .link = 1});
  cluster.step(AgentJoined{.hello = other, .link = 77});
  EXPECT_EQ(cluster.rows.agents.at({"n1"}).address, "copy.example") << "nothing runs there";
}

TEST(Agents, AMachineWhoseIdWasTakenIsToldOnItsOpenLink) {
  Cluster cluster("1x1");
  FakeAgent& silent = cluster.agent("n1");
  AgentHello other = silent.hello;
  other.machine_id = "a copy";
  other.address = "copy.example";
  cluster.now += given_up;
  cluster.step(AgentJoined{.hello = other, .link = 77});
  EXPECT_EQ(cluster.rows.agents.at({"n1"}).address, "copy.example");
  EXPECT_EQ(silent.refusal,
            "agent n1 is now at copy.example (two machines share one data folder; give one of them "
            "a new data folder)");
}

TEST(Agents, AnAgentThatLeavesGivesItsShareBackAtOnce) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  const std::string first = cluster.attempt(1).nodes[0].agent.value;
  cluster.beat(first, true);
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 2);
  EXPECT_FALSE(cluster.rows.agents.at({first}).connected);
}

TEST(Agents, WhatStillLivesOnAnAgentKeepsItsSlots) {
  Cluster cluster("1x2");
  cluster.submit(single(2));
  cluster.cut("n1");
  cluster.wait(given_up);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE (no agent of pool default is connected)");
  cluster.agent("n1").obeys = false;  // slow to kill
  cluster.join("n1");
  EXPECT_EQ(cluster.wanted("n1"), "") << "so it is to be killed";
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 1) << "but still holds the slots (P2)";
  cluster.agent("n1").held.clear();
  cluster.beat("n1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE PREPARING n1:2");
}

TEST(Agents, RefusesAnotherClusterAnUnknownPoolAndDoubledSlots) {
  Cluster cluster("1x1");
  FakeAgent& agent = cluster.agent("n1");
  const auto refusal = [&](const AgentHello& hello) {
    agent.link = 50;
    cluster.step(AgentJoined{.hello = hello, .link = 50});
    return agent.refusal;
  };
  AgentHello hello{.agent = {"x"}, .pool = "default", .cluster_id = "c2"};
  EXPECT_EQ(refusal(hello),
            "agent x belongs to cluster c2, this is cluster c1 (give the agent a new data folder)");
  hello.cluster_id = "c1";
  hello.cluster_epoch = 2;
  EXPECT_EQ(refusal(hello),
            "agent x has seen epoch 2 of this cluster, the master is at 1 (the master's database "
            "was restored; accept the loss first)");
  hello.cluster_epoch = 1;
  hello.pool = "gpus";
  EXPECT_EQ(refusal(hello), "agent x: pool gpus does not exist (known pools: default)");
  hello.pool = "default";
  hello.slots = {{.id = "cpu0"}, {.id = "cpu0"}};
  EXPECT_EQ(refusal(hello), "agent x lists slot \"cpu0\" twice or unnamed");
}

TEST(Agents, EveryHeartbeatIsAnsweredAndAChangeIsPushed) {
  Cluster cluster("1x1");
  cluster.agent("n1").obeys = false;
  const auto answers = [&](const MasterEvent& event) {
    std::string text;
    for (const MasterAction& action : cluster.master->step(cluster.now, event).actions) {
      const auto* send = std::get_if<SendAnswer>(&action);
      if (send == nullptr) continue;
      text += cat(send->answer.heartbeat, " lease ", send->answer.lease.count(), " wants ",
                  send->answer.wanted.size(), "; ");
    }
    return text;
  };
  FakeAgent& agent = cluster.agent("n1");
  EXPECT_EQ(answers(ExperimentSubmitted{.config = single(1)}), "0 lease 180000 wants 1; ");
  const Heartbeat heartbeat{.agent = {"n1"}, .session = agent.session, .number = 41};
  EXPECT_EQ(answers(AgentSpoke{.heartbeat = heartbeat, .link = agent.link}),
            "41 lease 180000 wants 1; ");
  EXPECT_EQ(answers(AgentSpoke{.heartbeat = heartbeat, .link = agent.link}), "")
      << "a repeated heartbeat extends no lease";
  EXPECT_EQ(answers(TimerFired{}), "") << "nothing changed";
}

TEST(Agents, NothingIsPlacedOnASlotWithAFault) {
  Cluster cluster("1x2");
  cluster.agent("n1").slot_faults = {{.slot = "cpu1", .reason = "XID 79"}};
  cluster.beat("n1");
  cluster.submit(single(2));
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE (needs 2 slots; never fits this pool: 1 node with 1 in all, the largest with 1 "
            "(1 slot with a fault: dtctl agent list))");
  cluster.submit(single(1));
  EXPECT_EQ(cluster.attempt(2).nodes[0].slot_ids, std::vector<std::string>{"cpu0"});
  cluster.exit_all(2, 0);
  cluster.restart();
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 0) << "a new master knows of the fault";
  cluster.agent("n1").slot_faults.clear();
  cluster.beat("n1");
  EXPECT_EQ(cluster.attempt(1).nodes[0].slot_ids, (std::vector<std::string>{"cpu0", "cpu1"}));
}

TEST(Agents, WhatRunsOnASlotThatBreaksGoesOnAndNothingComesAfterIt) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.agent("n1").slot_faults = {{.slot = "cpu0", .reason = "used by others"}};
  cluster.beat("n1");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  cluster.submit(single(1));
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.rows.trials.at({2}).attempts, 0);
  cluster.agent("n1").slot_faults.clear();
  cluster.beat("n1");
  EXPECT_EQ(cluster.rows.trials.at({2}).attempts, 1);
}

TEST(Agents, OneOnWhichSomethingLivesMustComeBackWithItsSlots) {
  Cluster cluster("1x2");
  cluster.submit(single(1));
  FakeAgent& agent = cluster.agent("n1");
  const auto comes_back = [&](const std::string& slot, const std::string& pool) {
    cluster.cut("n1");
    agent.hello.slots = {{.id = slot}};
    agent.hello.pool = pool;
    agent.refusal.clear();
    cluster.join("n1");
    return agent.refusal;
  };
  ASSERT_EQ(cluster.attempt(1).nodes[0].slot_ids, std::vector<std::string>{"cpu0"});
  EXPECT_EQ(comes_back("cpu0", "default"), "") << "the other one broke, or was taken out";
  EXPECT_EQ(comes_back("cpu1", "default"),
            "agent n1: device count has changed: it had 1 slots and comes back with 1 others (start "
            "it as it was until what it runs has ended)");
  EXPECT_EQ(comes_back("cpu0", "default"), "");
  cluster.exit_all(1, 0);
  EXPECT_EQ(comes_back("cpu7", "default"), "") << "nothing lives there any more";
}

}  // namespace
}  // namespace dt::core
