#include "core/agent/lease.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

Answer answer(std::int64_t heartbeat, std::int64_t lease_ms) {
  return {.heartbeat = heartbeat, .lease = Duration(lease_ms)};
}

TEST(Lease, CountsFromTheSendingOfTheAnsweredHeartbeat) {
  Lease lease;
  lease.heartbeat_sent(1, from_ms(1'000));
  lease.answered(answer(1, 30'000));
  EXPECT_EQ(to_ms(lease.deadline()), 31'000);
  EXPECT_EQ(to_ms(lease.checkpoint_at()), 21'000);
}

TEST(Lease, NeverEndsBeforeAnAnswerAndWithLengthZero) {
  Lease lease;
  EXPECT_FALSE(lease.expires());
  lease.heartbeat_sent(1, from_ms(0));
  lease.answered(answer(1, 0));
  EXPECT_FALSE(lease.expires());
  EXPECT_EQ(lease.checkpoint_at(), never);
}

TEST(Lease, IgnoresPushedAnswersAndThoseToUnknownHeartbeats) {
  Lease lease;
  lease.heartbeat_sent(1, from_ms(1'000));
  lease.answered(answer(1, 30'000));
  lease.answered(answer(0, 90'000));
  lease.answered(answer(7, 90'000));
  EXPECT_EQ(to_ms(lease.deadline()), 31'000);
}

TEST(Lease, IgnoresALateAnswerToAnOlderHeartbeat) {
  Lease lease;
  lease.heartbeat_sent(1, from_ms(1'000));
  lease.heartbeat_sent(2, from_ms(6'000));
  lease.answered(answer(2, 30'000));
  lease.answered(answer(1, 30'000));
  EXPECT_EQ(to_ms(lease.deadline()), 36'000);
}

TEST(Lease, FollowsAMasterThatNowGivesAShorterOne) {
  Lease lease;
  lease.heartbeat_sent(1, from_ms(0));
  lease.answered(answer(1, 180'000));
  lease.heartbeat_sent(2, from_ms(10'000));
  lease.answered(answer(2, 20'000));
  EXPECT_EQ(to_ms(lease.deadline()), 30'000);
}

TEST(Lease, EndsBeforeTheMasterGivesUp) {
  for (const Duration length : {Duration(20'000), Duration(180'000)}) {
    EXPECT_GT(give_up_after(length), length + kill_grace);
    EXPECT_LE(heartbeat_period(length), length / 6);
  }
}

TEST(Lease, HeartbeatsComeAtLeastEveryTenSeconds) {
  EXPECT_EQ(heartbeat_period(Duration(0)), Duration(10'000));
  EXPECT_EQ(heartbeat_period(Duration(180'000)), Duration(10'000));
  EXPECT_EQ(heartbeat_period(Duration(20'000)), Duration(3'333));
  EXPECT_EQ(give_up_after(Duration(0)), Duration::max());
}

}  // namespace
}  // namespace dt::core
