#include "core/agent/relay.h"

#include <gtest/gtest.h>

#include "tests/unit/core/agent/relay_trace.h"

namespace dt::core::relay {
namespace {

using Phase = AllocationPhase;

Wanted wants(Order order) { return {.allocation = a17, .order = order}; }

Wanted wants_prepare() {
  return {.allocation = a17, .order = Order::prepare, .assignment = Assignment{}};
}

Wanted wants_start() { return {.allocation = a17, .order = Order::start, .table = RankTable{}}; }

TEST(Relay, JoinsTheFirstMasterAndSpeaksAtOnce) {
  Driver agent;
  EXPECT_EQ(agent.tell(Connected{}), "");
  EXPECT_EQ(agent.answer({}), "remember c 1 0; heartbeat 1 []");
  EXPECT_EQ(to_ms(agent.wake), 10'000);
  EXPECT_EQ(agent.at(10'000).tell(Woke{}), "heartbeat 2 []");
}

TEST(Relay, TakesAnAllocationThroughItsLife) {
  Driver agent;
  agent.join();
  EXPECT_EQ(agent.answer({wants_prepare()}), "prepare 1.7; heartbeat 2 [1.7 preparing]");
  EXPECT_EQ(agent.tell(Prepared{a17}), "read 1.7 from {}");
  EXPECT_EQ(agent.shim_says(Phase::ready, true), "lease 1.7 never never; heartbeat 3 [1.7 ready]");
  EXPECT_EQ(agent.answer({wants_start()}), "start 1.7");
  EXPECT_EQ(agent.shim_says(Phase::running), "heartbeat 4 [1.7 running]");
  EXPECT_EQ(agent.answer({wants(Order::run)}), "");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 1), record(0, 2)}, true}), "send 1.7: 0.1 0.2");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 2}}}), "read 1.7 from {0:2}");
  EXPECT_EQ(agent.shim_says(Phase::ended), "heartbeat 5 [1.7 ended]");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 3)}, true}), "send 1.7: 0.3");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 3}}}), "read 1.7 from {0:3}");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {}, true}), "");
  EXPECT_EQ(agent.answer({}), "");
  EXPECT_EQ(agent.at(599'999).tell(Woke{}), "heartbeat 6 [1.7 ended]");
  EXPECT_EQ(agent.at(600'000).tell(Woke{}), "remove 1.7; heartbeat 7 []");
}

TEST(Relay, TellsAFaultOfASlotAtOnceAndAsLongAsItLasts) {
  Driver agent;
  agent.join();
  const std::vector<SlotFault> faults{{.slot = "GPU-1", .reason = "lost"}};
  EXPECT_EQ(agent.tell(SlotsChecked{faults}), "heartbeat 2 [] GPU-1: lost;");
  EXPECT_EQ(agent.tell(SlotsChecked{faults}), "");
  EXPECT_EQ(agent.at(10'000).tell(Woke{}), "heartbeat 3 [] GPU-1: lost;");
  EXPECT_EQ(agent.tell(SlotsChecked{}), "heartbeat 4 []");
}

TEST(Relay, RepeatsAStartUntilTheShimHasIt) {
  Driver agent;
  agent.join();
  agent.answer({wants_prepare()});
  agent.tell(Prepared{a17});
  agent.answer({wants_start()});
  EXPECT_EQ(agent.shim_says(Phase::ready), "start 1.7; heartbeat 3 [1.7 ready]");
  EXPECT_EQ(agent.answer({wants_start()}), "start 1.7");
  EXPECT_EQ(agent.shim_says(Phase::ready, true), "lease 1.7 never never; start 1.7");
}

TEST(Relay, KillsWhatTheWantedSetLacks) {
  Driver agent;
  agent.run_allocation();
  EXPECT_EQ(agent.answer({}), "tell 1.7 kill");
  EXPECT_EQ(agent.answer({}), "tell 1.7 kill");
}

TEST(Relay, KillsAlsoWhatIsStillFetched) {
  Driver agent;
  agent.join();
  agent.answer({wants_prepare()});
  EXPECT_EQ(agent.answer({}), "tell 1.7 kill");
  EXPECT_EQ(agent.tell(PrepareFailed{a17, "cancelled", true}), "read 1.7 from {}; heartbeat 3 [1.7 ended (cancelled)]");
}

TEST(Relay, AnAllocationReadyAfterItsKillIsKilled) {
  Driver agent;
  agent.join();
  agent.answer({wants_prepare()});
  agent.answer({});
  EXPECT_EQ(agent.tell(Prepared{a17}), "tell 1.7 kill; read 1.7 from {}");
}

TEST(Relay, ObeysNoMasterOfAnotherCluster) {
  Driver agent;
  agent.run_allocation();
  EXPECT_EQ(agent.tell(Answered{{.cluster_id = "other", .cluster_epoch = 9}}), "");
}

TEST(Relay, ObeysNoMasterOfALowerEpoch) {
  Driver agent({.agent = AgentId{"agent"}, .cluster_id = "c", .cluster_epoch = 2});
  agent.tell(Reattached{{.allocation = a17, .phase = Phase::running}, {}});
  agent.tell(Connected{});
  EXPECT_EQ(agent.answer({}), "");
  EXPECT_EQ(agent.tell(Answered{{.cluster_id = "c", .cluster_epoch = 3, .batch = 4}}),
            "remember c 3 4; lease 1.7 never never; tell 1.7 kill; read 1.7 from {}; "
            "heartbeat 1 [1.7 running]");
}

TEST(Relay, AnAnswerOfAClosedLinkIsDropped) {
  Driver agent;
  agent.run_allocation();
  agent.tell(Disconnected{});
  EXPECT_EQ(agent.answer({}), "");
}

TEST(Relay, TellsWhatIsLeftOfAPreemptDeadline) {
  Driver agent;
  agent.run_allocation();
  Wanted preempt = wants(Order::preempt);
  preempt.preempt_left = Duration(60'000);
  EXPECT_EQ(agent.at(1'000).answer({preempt}), "tell 1.7 preempt 60000");
  preempt.preempt_left = Duration(59'500);  // the master's word is late by half a second
  EXPECT_EQ(agent.at(2'000).answer({preempt}), "tell 1.7 preempt 59000");
  EXPECT_EQ(agent.at(3'000).shim_says(Phase::running, true),
            "lease 1.7 never never; tell 1.7 preempt 58000; read 1.7 from {}");
}

TEST(Relay, WhatIsWantedButNotHeldIsLost) {
  Driver agent;
  agent.join();
  EXPECT_EQ(agent.answer({wants(Order::run)}),
            "heartbeat 2 [1.7 lost (the agent holds nothing of it)]");
  EXPECT_EQ(agent.answer({}), "heartbeat 3 []");
}

TEST(Relay, AFailedPreparationEndsTheAllocation) {
  Driver agent;
  agent.join();
  agent.answer({wants_prepare()});
  EXPECT_EQ(agent.tell(PrepareFailed{a17, "context ab is not there", true}),
            "read 1.7 from {}; heartbeat 3 [1.7 ended (context ab is not there)]");
  agent.tell(SpoolRead{a17, {}, true});
  EXPECT_EQ(agent.answer({}), "remove 1.7; heartbeat 4 []");
}

TEST(Relay, TheLeaseReachesEveryShim) {
  Driver agent;
  agent.run_allocation();
  agent.at(1'000).tell(Disconnected{});
  agent.tell(Connected{});
  EXPECT_EQ(agent.answer({wants(Order::run)}, 0, 30'000), "heartbeat 4 [1.7 running]");
  EXPECT_EQ(agent.at(1'400).answer({wants(Order::run)}, 4, 30'000), "lease 1.7 21000 31000");
}

// The first answer of a link answers no heartbeat, so it proves nothing about how long to train.
TEST(Relay, ARestartedAgentTakesNoShimItsLease) {
  Driver agent;
  agent.tell(Reattached{{.allocation = a17, .phase = Phase::running}, {}});
  agent.tell(Connected{});
  agent.shim_says(Phase::running, true);
  EXPECT_EQ(agent.at(1'000).answer({wants(Order::run)}, 0, 30'000),
            "remember c 1 0; read 1.7 from {}; heartbeat 1 [1.7 running]");
  EXPECT_EQ(agent.at(1'200).answer({wants(Order::run)}, 1, 30'000), "lease 1.7 21000 31000");
}

TEST(Relay, StartsNoRanksBeforeItKnowsTheLease) {
  Driver agent;
  agent.tell(Reattached{{.allocation = a17, .phase = Phase::ready}, {}});
  agent.tell(Connected{});
  agent.shim_says(Phase::ready, true);
  EXPECT_EQ(agent.at(1'000).answer({wants_start()}, 0, 30'000),
            "remember c 1 0; read 1.7 from {}; heartbeat 1 [1.7 ready]");
  EXPECT_EQ(agent.at(1'200).answer({wants_start()}, 1, 30'000),
            "lease 1.7 21000 31000; start 1.7");
}

TEST(Relay, AnOldLinksLeaseIsNotToldToANewShim) {
  Driver agent;
  agent.join().answer({}, 1, 30'000);
  agent.at(600'000).tell(Connected{});
  agent.answer({wants_prepare()}, 0, 30'000);
  agent.tell(Prepared{a17});
  EXPECT_EQ(agent.shim_says(Phase::ready, true), "heartbeat 3 [1.7 ready]");
}

TEST(Relay, AShortLeaseIsKeptFromTheFirstHeartbeatOn) {
  Driver agent;
  agent.run_allocation();
  agent.at(100).answer({wants(Order::run)}, 3, 6'000);
  EXPECT_EQ(to_ms(agent.wake), 1'100);
}

TEST(Relay, AReattachedShimHearsNoLeaseBeforeTheMastersWord) {
  Driver agent;
  agent.tell(Reattached{{.allocation = a17, .phase = Phase::running}, {{0, 4}}});
  EXPECT_EQ(agent.shim_says(Phase::running, true), "");
  agent.tell(Connected{});
  EXPECT_EQ(agent.answer({wants(Order::run)}),
            "remember c 1 0; lease 1.7 never never; read 1.7 from {}; heartbeat 1 [1.7 running]");
}

TEST(Relay, ADeadShimIsLostOnlyAfterItsSpoolIsStored) {
  Driver agent;
  agent.run_allocation();
  EXPECT_EQ(agent.tell(ShimGone{a17}), "clear 1.7");
  EXPECT_EQ(agent.tell(RemainsCleared{a17}), "read 1.7 from {}");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 1)}, true}), "send 1.7: 0.1");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 1}}}), "heartbeat 4 [1.7 lost (its shim died)]");
}

TEST(Relay, ADeadShimsSpoolWaitsForTheMaster) {
  Driver agent;
  agent.run_allocation();
  agent.tell(Disconnected{});
  agent.tell(ShimGone{a17});
  EXPECT_EQ(agent.tell(RemainsCleared{a17}), "");
  agent.tell(Connected{});
  EXPECT_EQ(agent.answer({wants(Order::run)}), "read 1.7 from {}; heartbeat 4 [1.7 running]");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {}, true}), "heartbeat 5 [1.7 lost (its shim died)]");
}

TEST(Relay, SendsAgainAfterAFailure) {
  Driver agent;
  agent.run_allocation();
  agent.at(5'000).shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1)}, true});
  EXPECT_EQ(agent.tell(SendFailed{a17}), "");
  EXPECT_EQ(to_ms(agent.wake), 6'000);
  EXPECT_EQ(agent.at(6'000).tell(Woke{}), "read 1.7 from {}");
}

TEST(Relay, SendsAgainWhatAMasterLost) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1), record(0, 2)}, true});
  agent.tell(Acknowledged{a17, {{0, 2}}});
  EXPECT_EQ(agent.tell(MarksNamed{a17, {{0, 1}}}), "read 1.7 from {0:1}");
}

TEST(Relay, AnAcknowledgementFromBeforeTheNamedMarksCountsForNothing) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1), record(0, 2)}, true});
  EXPECT_EQ(agent.tell(MarksNamed{a17, {}}), "");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 2}}}), "read 1.7 from {}");
}

TEST(Relay, AReadFromBeforeTheNamedMarksCountsForNothing) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1)}, true});
  agent.tell(Acknowledged{a17, {{0, 1}}});
  agent.shim_says(Phase::running);
  agent.tell(MarksNamed{a17, {}});
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 2)}, true}), "read 1.7 from {}");
}

TEST(Relay, FillsAGapThatTheMasterFound) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1), record(0, 2), record(1, 1)}, true});
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 1}, {1, 1}}}), "read 1.7 from {0:1 1:1}");
}

TEST(Relay, UploadsACheckpointOnceTheMasterHasItsRecord) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 1, RecordKind::checkpoint)}, true}),
            "send 1.7: 0.1");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 1}}}), "upload 1.7 c1 part 0, 1 files");
  EXPECT_EQ(agent.at(2'000).tell(PartFailed{a17, CheckpointId{"c1"}, 0, "unreachable", true}), "");
  EXPECT_EQ(agent.at(3'000).tell(Woke{}), "upload 1.7 c1 part 0, 1 files");
  EXPECT_EQ(agent.tell(PartStored{a17, CheckpointId{"c1"}, 0}), "");
}

TEST(Relay, KeepsAFolderWhoseCheckpointIsNotUploaded) {
  Driver agent;
  agent.run_allocation();
  agent.shim_says(Phase::running);
  agent.tell(SpoolRead{a17, {record(0, 1, RecordKind::checkpoint)}, true});
  agent.tell(Acknowledged{a17, {{0, 1}}});
  agent.shim_says(Phase::ended);
  agent.tell(SpoolRead{a17, {}, true});
  agent.answer({});
  EXPECT_EQ(agent.at(700'000).tell(Woke{}), "heartbeat 5 [1.7 ended]");
  EXPECT_EQ(agent.tell(PartStored{a17, CheckpointId{"c1"}, 0}), "remove 1.7; heartbeat 6 []");
}

TEST(Relay, AfterARestartAnnouncedPartsAreFoundAgainAndNothingIsSentTwice) {
  Driver agent;
  agent.tell(Reattached{{.allocation = a17, .phase = Phase::running}, {{0, 2}}});
  agent.tell(Connected{});
  agent.answer({wants(Order::run)});
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 1), record(0, 2, RecordKind::checkpoint)}, false}),
            "read 1.7 from {0:2}; upload 1.7 c2 part 0, 1 files");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 3)}, true}), "send 1.7: 0.3");
}

TEST(Relay, AnOrderlyShutdownKillsDrainsAndLeaves) {
  Driver agent;
  agent.run_allocation();
  EXPECT_EQ(agent.tell(ShutdownOrdered{}), "tell 1.7 kill");
  EXPECT_EQ(agent.shim_says(Phase::ended),
            "read 1.7 from {}; heartbeat 4 [1.7 ended (the agent was shut down)]");
  EXPECT_EQ(agent.tell(SpoolRead{a17, {record(0, 1)}, true}), "send 1.7: 0.1");
  EXPECT_EQ(agent.tell(Acknowledged{a17, {{0, 1}}}),
            "heartbeat 5 [1.7 ended (the agent was shut down)] leaving; leave");
}

TEST(Relay, AShutdownWithoutAMasterDoesNotWaitForTheSpool) {
  Driver agent;
  agent.run_allocation();
  agent.tell(Disconnected{});
  EXPECT_EQ(agent.tell(ShutdownOrdered{}), "tell 1.7 kill");
  EXPECT_EQ(agent.shim_says(Phase::ended), "leave");
}

TEST(Relay, AShutdownStartsNothingNew) {
  Driver agent;
  agent.run_allocation();
  agent.tell(ShutdownOrdered{});
  EXPECT_EQ(
      agent.answer({wants(Order::run),
                    {.allocation = {1, 8}, .order = Order::prepare, .assignment = Assignment{}}}),
      "tell 1.7 kill");
}

TEST(Relay, AShimThatNeverEndsDoesNotHoldTheShutdown) {
  Driver agent;
  agent.run_allocation();
  agent.at(1'000).tell(ShutdownOrdered{});
  EXPECT_EQ(agent.at(31'000).tell(Woke{}),
            "heartbeat 4 [1.7 running]; heartbeat 5 [1.7 running]; leave");
}

}  // namespace
}  // namespace dt::core::relay
