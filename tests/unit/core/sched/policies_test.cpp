// Fair share, FIFO, backfill and attained service.
#include <gtest/gtest.h>

#include "core/sched/attained.h"
#include "core/sched/fair_share.h"
#include "core/sched/queue.h"
#include "tests/unit/core/sched/pool_builder.h"

namespace dt::core {
namespace {

PoolState pool_of(SchedulerKind kind, std::vector<AgentCapacity> agents,
                  std::vector<SlotRequest> requests) {
  PoolState pool{{.scheduler = kind}, std::move(agents), std::move(requests)};
  for (std::size_t i = 0; i < pool.requests.size(); ++i) {
    pool.requests[i].requested = static_cast<std::int64_t>(i);
  }
  return pool;
}

std::string scheduled(const PoolState& pool) { return to_text(pool, schedule(pool)); }

SlotRequest of_job(const char* job, SlotRequest request) {
  request.job = job;
  return request;
}

constexpr Duration hours(int count) { return std::chrono::hours(count); }

SlotRequest expecting(SlotRequest request, Duration expected) {
  request.expected = expected;
  return request;
}

// --- fair share ---

TEST(FairShare, JobsGetSlotsByWeightHoweverManyTheyAskFor) {
  PoolState pool = pool_of(SchedulerKind::fair_share, cluster("1x4"), {});
  for (const char* id : {"a1", "a2", "a3", "a4"})
    pool.requests.push_back(of_job("a", request(id, 1)));
  for (const char* id : {"b1", "b2", "b3", "b4"})
    pool.requests.push_back(of_job("b", request(id, 1)));
  EXPECT_EQ(scheduled(pool), "start a1@n1:1 a2@n1:1 b1@n1:1 b2@n1:1 | release");
  pool.jobs["b"].weight = 3;
  EXPECT_EQ(scheduled(pool), "start a1@n1:1 b1@n1:1 b2@n1:1 b3@n1:1 | release");
  EXPECT_EQ(reason_of(pool, "a2"), "needs 1 slot; 0 of 4 are free");
}

TEST(FairShare, AJobOverItsShareGivesSlotsUp) {
  const PoolState pool =
      pool_of(SchedulerKind::fair_share, {node("n1", 2, 2)},
              {of_job("rich", running(request("r1", 1), "n1")),
               of_job("rich", running(request("r2", 1), "n1")), of_job("poor", request("p", 1))});
  EXPECT_EQ(decide_fair_share(pool).release.size(), 0u) << "the poor one does not fit yet";
  PoolState roomy = pool;
  roomy.agents.push_back(node("n2", 1));
  EXPECT_EQ(scheduled(roomy), "start p@n2:1 | release");
}

TEST(FairShare, AJobMayHoldNoMoreThanItsLimit) {
  PoolState pool = pool_of(SchedulerKind::fair_share, cluster("1x4"),
                           {of_job("a", request("a1", 2)), of_job("a", request("a2", 2))});
  pool.jobs["a"].max_slots = 3;
  EXPECT_EQ(scheduled(pool), "start a1@n1:2 | release");
  EXPECT_EQ(reason_of(pool, "a2"), "its job holds its fair share of the pool");
}

TEST(FairShare, WhatWouldOverfillTheNodesWaits) {
  const PoolState pool = pool_of(SchedulerKind::fair_share, cluster("1x4 1x4"),
                                 {request("a", 3), request("b", 3), request("c", 2)});
  EXPECT_EQ(decide_fair_share(pool).start.size(), 3u);
  EXPECT_EQ(schedule(pool).start.size(), 2u) << "two threes leave one slot on each node";
}

// --- FIFO and backfill ---

TEST(Fifo, TheFirstThatDoesNotFitHoldsAllBehindIt) {
  const PoolState pool = pool_of(SchedulerKind::fifo, {node("n1", 4, 2)},
                                 {request("small", 1), request("big", 4), request("tiny", 1)});
  EXPECT_EQ(scheduled(pool), "start small@n1:1 | release");
  EXPECT_EQ(reason_of(pool, "tiny"), "waits behind big, which needs 4 slots; 1 of 4 are free");
}

TEST(Fifo, ZeroSlotTasksDoNotWaitForSlots) {
  const PoolState pool =
      pool_of(SchedulerKind::fifo, {node("n1", 1, 1)}, {request("gang", 1), request("shell", 0)});
  EXPECT_EQ(scheduled(pool), "start shell@n1:0 | release");
}

TEST(Backfill, AShorterJobPassesOneThatEndsBeforeTheFirstCouldStart) {
  const SlotRequest holder = expecting(running(request("holder", 3), "n1"), hours(2));
  const auto pool = [&](Duration expected) {
    return pool_of(SchedulerKind::backfill, {node("n1", 4, 3)},
                   {holder, request("big", 4), expecting(request("next", 1), expected)});
  };
  EXPECT_EQ(scheduled(pool(hours(2))), "start next@n1:1* | release");
  EXPECT_EQ(scheduled(pool(hours(3))), "start | release") << "big would have to wait longer";
}

TEST(Backfill, ALongJobPassesOnSlotsThatTheFirstWillNotNeed) {
  const SlotRequest holder = expecting(running(request("holder", 2), "n1"), hours(2));
  const PoolState pool = pool_of(SchedulerKind::backfill, {node("n1", 4, 2)},
                                 {holder, request("big", 3), request("forever", 1)});
  EXPECT_EQ(scheduled(pool), "start forever@n1:1* | release");
}

TEST(Backfill, WithoutAnyEndInSightOnlyWhatFitsNowCounts) {
  const PoolState pool =
      pool_of(SchedulerKind::backfill, {node("n1", 4, 3)},
              {running(request("holder", 3), "n1"), request("big", 4), request("forever", 1)});
  EXPECT_EQ(scheduled(pool), "start forever@n1:1* | release");
}

// --- attained service ---

// One node of 16 slots and levels that end after a sixteenth of an hour of it: one slot hour.
PoolState attained_pool(std::vector<SlotRequest> requests, int used) {
  PoolState pool = pool_of(SchedulerKind::attained, {node("n1", 16, used)}, std::move(requests));
  pool.now = from_ms(0) + hours(1000);
  return pool;
}

SlotRequest since(SlotRequest request, Time time) {
  request.since = time;
  return request;
}

TEST(Attained, AJobThatHasHadMuchGivesWayToANewOne) {
  const Time now = from_ms(0) + hours(1000);
  const PoolState pool = attained_pool(
      {since(running(request("old", 16), "n1"), now - hours(5)), since(request("new", 1), now)},
      16);
  EXPECT_EQ(scheduled(pool), "start | release old");
}

TEST(Attained, AYoungJobIsLeftAloneByThoseBehindIt) {
  const Time now = from_ms(0) + hours(1000);
  const PoolState pool =
      attained_pool({since(running(request("young", 16), "n1"), now - Duration(60'000)),
                     since(request("new", 1), now)},
                    16);
  EXPECT_EQ(scheduled(pool), "start | release");
  EXPECT_EQ(schedule(pool).look_again, now - Duration(60'000) + hours(1) / 16 + Duration(1))
      << "then it has had one slot hour";
}

TEST(Attained, OfTheVictimsOnlyThoseGoThatAreNeeded) {
  const Time long_ago = from_ms(0);
  const PoolState pool = attained_pool({since(running(request("small", 1), "n1"), long_ago),
                                        since(running(request("large", 15), "n1"), long_ago),
                                        since(at(request("new", 2), -1), from_ms(0) + hours(1000))},
                                       16);
  EXPECT_EQ(scheduled(pool), "start | release large");
}

TEST(Attained, ALongWaitLiftsAJobForAsLongAsALevelLasts) {
  const Time now = from_ms(0) + hours(1000);
  PoolState pool = attained_pool({since(request("gang", 16), now - hours(200)),
                                  since(running(request("young", 1), "n1"), now)},
                                 1);
  pool.requests[0].attained = hours(500);
  pool.requests[1].requested = 2;
  pool.requests[1].queue_position = 1;
  EXPECT_EQ(scheduled(pool), "start | release young");
  AttainedLevels ladder(pool);
  EXPECT_EQ(ladder.at(pool.requests[0]), 0);
  SlotRequest lifted = running(pool.requests[0], "n1");
  lifted.waited = hours(200);
  lifted.since = now;
  EXPECT_EQ(ladder.at(lifted), 0);
  lifted.since = now - hours(1);
  EXPECT_EQ(ladder.at(lifted), 1);
}

TEST(Attained, ARunThatHasJustBegunIsProtected) {
  const Time now = from_ms(0) + hours(1000);
  SlotRequest old = since(running(request("old", 16), "n1"), now - Duration(1000));
  old.attained = hours(100);
  PoolState pool = attained_pool({old, since(request("new", 1), now)}, 16);
  EXPECT_EQ(scheduled(pool), "start | release old");
  pool.config.attained.min_run = Duration(60'000);
  EXPECT_EQ(scheduled(pool), "start | release");
  EXPECT_EQ(schedule(pool).look_again, now + Duration(59'000));
}

// --- the queue as people see it ---

TEST(JobQueue, JobsComeInTheOrderInWhichTheyAreServed) {
  PoolState pool = pool_of(SchedulerKind::priority, {node("n1", 2, 2)},
                           {of_job("late", request("l", 2)), of_job("busy", request("b", 2))});
  pool.requests[1].priority = 10;
  pool.requests[1] = running(pool.requests[1], "n1");
  std::string text;
  for (const JobInfo& job : job_queue(pool)) {
    text += cat(job.job, " ", to_text(job.state), " ", job.ahead, " ", job.allocated, "/",
                job.requested, "; ");
  }
  EXPECT_EQ(text, "busy SCHEDULED 0 2/2; late QUEUED 1 0/2; ");
}

// No policy may hand out what is not there, split a gang, or say nothing to who waits.
TEST(AllPolicies, PlaceGangsWholeOnFreeSlotsAndTellWhoWaits) {
  for (const auto kind : {SchedulerKind::priority, SchedulerKind::fair_share, SchedulerKind::fifo,
                          SchedulerKind::backfill, SchedulerKind::attained}) {
    PoolState pool = pool_of(kind, cluster("3x4 1x8"), {});
    for (int i = 0; i < 40; ++i) {
      pool.requests.push_back({.id = cat("r", i),
                               .job = cat("j", i % 7),
                               .slots = i % 9,
                               .priority = 40 + i % 3,
                               .requested = i});
    }
    const Scheduled answer = schedule(pool);
    std::map<AgentId, int> held;
    std::set<std::size_t> spoken_of;
    for (const Scheduled::Start& start : answer.start) {
      int slots = 0;
      for (const Placement& placement : start.placements) {
        slots += placement.slots;
        held[placement.agent] += placement.slots;
      }
      EXPECT_EQ(slots, pool.requests[start.request].slots) << to_text(kind);
      spoken_of.insert(start.request);
    }
    for (const AgentCapacity& agent : pool.agents) EXPECT_LE(held[agent.id], agent.slots);
    for (const Scheduled::Waiting& waiting : answer.waiting) {
      EXPECT_FALSE(answer.reasons[waiting.reason].empty());
      spoken_of.insert(waiting.request);
    }
    EXPECT_EQ(spoken_of.size(), pool.requests.size()) << to_text(kind);
  }
}

}  // namespace
}  // namespace dt::core
