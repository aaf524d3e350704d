#include "master/clock.h"

#include <gtest/gtest.h>

namespace dt::master {
namespace {

TEST(Clock, GoesOnFromWhatTheDatabaseRemembers) {
  Clock clock;
  const Time remembered = clock.now() + std::chrono::hours(1);
  clock.start_no_earlier_than(remembered);
  EXPECT_GE(clock.now(), remembered);
  EXPECT_LT(clock.now(), remembered + std::chrono::minutes(10));
  EXPECT_GE(clock.steady(clock.now() + Duration(60'000)), std::chrono::steady_clock::now());
}

TEST(Clock, IsNotMovedByWhatIsPast) {
  Clock clock;
  clock.start_no_earlier_than(clock.now() - std::chrono::hours(1));
  EXPECT_LT(clock.now() - from_ms(0), Clock().now() - from_ms(0) + Duration(10'000));
  EXPECT_GT(clock.now(), Clock().now() - std::chrono::minutes(10));
}

}  // namespace
}  // namespace dt::master
