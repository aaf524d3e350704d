#include "shim/output_budget.h"

#include <gtest/gtest.h>

namespace dt::shim {
namespace {

constexpr std::int64_t rate = 1'000'000;

Time at(std::int64_t ms) { return from_ms(ms); }

TEST(OutputBudget, TwoSecondsWorthComesAtOnce) {
  OutputBudget budget(rate);
  budget.spend(at(50'000), 2 * rate - 1);
  EXPECT_EQ(budget.wait(at(50'000)), Duration(0));
  budget.spend(at(50'000), 1);
  EXPECT_GT(budget.wait(at(50'000)), Duration(0));
}

TEST(OutputBudget, AFloodIsTakenAtItsRate) {
  OutputBudget budget(rate);
  Time now = at(50'000);
  std::int64_t taken = 0;
  while (taken < 20 * rate) {
    budget.spend(now, 65'536);
    taken += 65'536;
    now += budget.wait(now);
  }
  EXPECT_NEAR(static_cast<double>((now - at(50'000)).count()), 18'000, 200);
}

TEST(OutputBudget, AfterALargePieceItWaitsForWhatThatCost) {
  OutputBudget budget(rate);
  budget.spend(at(50'000), 5 * rate);
  EXPECT_NEAR(static_cast<double>(budget.wait(at(50'000)).count()), 3'000, 2);
  EXPECT_EQ(budget.wait(at(53'002)), Duration(0));
}

TEST(OutputBudget, ALongSilenceSavesUpNoMore) {
  OutputBudget budget(rate);
  budget.spend(at(50'000), 1);
  budget.spend(at(900'000'000), 2 * rate);
  EXPECT_GT(budget.wait(at(900'000'000)), Duration(0));
}

}  // namespace
}  // namespace dt::shim
