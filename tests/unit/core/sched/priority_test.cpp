#include "core/sched/priority.h"

#include <gtest/gtest.h>

#include "tests/unit/core/sched/pool_builder.h"

namespace dt::core {
namespace {

const PoolConfig preempting = {.preemption = true};

std::string schedule(std::vector<AgentCapacity> agents, std::vector<SlotRequest> requests,
                     PoolConfig config = {}) {
  const PoolState pool{config, std::move(agents), std::move(requests)};
  return to_text(pool, schedule_by_priority(pool));
}

std::string reason(std::vector<AgentCapacity> agents, std::vector<SlotRequest> requests,
                   const std::string& id, PoolConfig config = {}) {
  return reason_of({config, std::move(agents), std::move(requests)}, id);
}

TEST(Priority, TheMoreImportantRequestGetsTheSlots) {
  EXPECT_EQ(schedule({node("n", 2)}, {request("low", 2, 50), request("high", 2, 10)}),
            "start high@n:2 | release");
}

TEST(Priority, EqualPrioritiesGoByQueuePositionJobRequestTimeAndId) {
  SlotRequest a = request("a", 1);
  SlotRequest b = request("b", 1);
  EXPECT_EQ(schedule({node("n", 1)}, {b, a}), "start a@n:1 | release");
  b.requested = -1;
  EXPECT_EQ(schedule({node("n", 1)}, {b, a}), "start b@n:1 | release");
  a.job_submitted = -1;
  EXPECT_EQ(schedule({node("n", 1)}, {b, a}), "start a@n:1 | release");
  b.queue_position = -1;
  EXPECT_EQ(schedule({node("n", 1)}, {b, a}), "start b@n:1 | release");
}

TEST(Priority, AGangIsPlacedWholeOrNotAtAll) {
  EXPECT_EQ(schedule({node("n", 4, 1)}, {request("gang", 4)}), "start | release");
  EXPECT_EQ(schedule({node("n", 4)}, {request("gang", 4)}), "start gang@n:4 | release");
}

TEST(Priority, ARequestThatDoesNotFitLetsItsOwnLevelPassButStopsLowerOnes) {
  EXPECT_EQ(schedule({node("n", 2)},
                     {at(request("big", 3), 1), at(request("peer", 1), 2), request("low", 1, 50)}),
            "start peer@n:1 | release");
}

TEST(Priority, ZeroSlotRequestsAreScheduledApart) {
  EXPECT_EQ(schedule({node("n", 1, 1)}, {request("gang", 1, 10), request("shell", 0, 99)}),
            "start shell@n:0 | release");
}

TEST(Priority, WithPreemptionPreemptibleLowerRequestsBackfill) {
  SlotRequest rigid = request("rigid", 1, 50);
  rigid.preemptible = false;
  EXPECT_EQ(
      schedule({node("n", 2)}, {request("big", 3, 10), request("low", 1, 50), rigid}, preempting),
      "start low@n:1* | release");
}

TEST(Priority, TheLastOfTheLowestPriorityIsPreemptedFirst) {
  EXPECT_EQ(schedule({node("n", 3, 3)},
                     {at(running(request("first", 1, 50), "n"), 1),
                      running(request("middle", 1, 45), "n"),
                      at(running(request("last", 1, 50), "n"), 2), request("high", 1, 10)},
                     preempting),
            "start | release last");
}

TEST(Priority, NothingIsPreemptedWhenItWouldNotHelp) {
  SlotRequest rigid = running(request("rigid", 1, 50), "n");
  rigid.preemptible = false;
  EXPECT_EQ(
      schedule({node("n", 2, 2)},
               {rigid, running(request("low", 1, 50), "n"), request("high", 2, 10)}, preempting),
      "start | release");
}

TEST(Priority, WithinOnePriorityOnlyWhatIsQueuedBehindIsPreempted) {
  const SlotRequest victim = at(running(request("victim", 1), "n"), 2);
  EXPECT_EQ(schedule({node("n", 1, 1)}, {victim, at(request("ahead", 1), 1)}, preempting),
            "start | release victim");
  EXPECT_EQ(schedule({node("n", 1, 1)}, {victim, at(request("level", 1), 2)}, preempting),
            "start | release");
}

TEST(Priority, SlotsOnTheirWayOutAreAwaitedBeforeMoreIsPreempted) {
  SlotRequest leaving = running(request("leaving", 1, 45), "n");
  leaving.released = true;
  EXPECT_EQ(schedule({node("n", 2, 2)},
                     {leaving, running(request("staying", 1, 50), "n"), request("high", 1, 10)},
                     preempting),
            "start | release");
}

TEST(Priority, NothingOfLowerPriorityStartsIntoRoomThatIsBeingMade) {
  EXPECT_EQ(schedule({node("n", 2, 1)},
                     {running(request("victim", 1, 60), "n"), request("high", 2, 10),
                      request("low", 1, 50)},
                     preempting),
            "start | release victim");
}

TEST(Priority, EveryWaitingRequestIsToldWhy) {
  const std::vector<AgentCapacity> agents = {node("n", 2, 1), node("m", 2, 1)};
  EXPECT_EQ(reason(agents, {request("gang", 4)}, "gang"), "needs 4 slots; 2 of 4 are free");
  EXPECT_EQ(reason(agents, {request("gang", 5)}, "gang"),
            "needs 5 slots; never fits this pool: 2 nodes with 4 in all, the largest with 2");
  EXPECT_EQ(reason({}, {request("one", 1)}, "one"), "needs 1 slot; the pool has no node");
  EXPECT_EQ(reason(agents, {request("gang", 4), request("low", 1, 50)}, "low"),
            "waits behind gang of priority 42, which needs 4 slots; 2 of 4 are free");
  EXPECT_EQ(reason({node("n", 1, 1)}, {running(request("low", 1, 50), "n"), request("high", 1)},
                   "high", preempting),
            "waits until low has been preempted");
}

TEST(Priority, AReasonIsGivenOnlyToThoseWhoWait) {
  EXPECT_TRUE(schedule_by_priority({{}, {node("n", 2)}, {request("a", 1)}}).reasons.empty());
}

}  // namespace
}  // namespace dt::core
