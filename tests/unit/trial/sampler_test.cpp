#include "trial/rank/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace dt::trial {
namespace {

std::vector<std::int64_t> copy(Indices indices) { return {indices.begin(), indices.end()}; }

// All micro-batches of a window, one rank after the other in each round.
std::vector<std::int64_t> dealt(Indices window, std::int64_t parts) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < parts; ++i) {
    const auto part = micro_batch(window, i, parts);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

TEST(Sampler, AnEpochHasEverySampleOnceAtAnyNumberOfParts) {
  for (const std::int64_t parts : {1, 2, 3, 4, 8, 40}) {
    Sampler sampler(103, 16, 7);
    std::vector<std::int64_t> seen;
    while (sampler.position().epoch == 0) {
      const auto samples = dealt(sampler.next(), parts);
      seen.insert(seen.end(), samples.begin(), samples.end());
    }
    EXPECT_EQ(seen, permutation(103, 7, 0)) << parts << " parts";
    std::sort(seen.begin(), seen.end());
    std::vector<std::int64_t> all(103);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all) << parts << " parts";
  }
}

TEST(Sampler, TheLastWindowOfAnEpochIsSmallerAndNoneStraddles) {
  Sampler sampler(10, 4, 1);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 6; ++i) sizes.push_back(sampler.next().size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2, 4, 4, 2}));
  EXPECT_EQ(sampler.position(), (DataPosition{2, 0}));
  EXPECT_EQ(sampler.windows_per_epoch(), 3);
}

TEST(Sampler, PartsDifferByAtMostOneSample) {
  const auto order = permutation(23, 5, 0);
  std::set<std::size_t> sizes;
  for (std::int64_t i = 0; i < 5; ++i) sizes.insert(micro_batch(order, i, 5).size());
  EXPECT_EQ(sizes, (std::set<std::size_t>{4, 5}));
}

TEST(Sampler, AWindowSmallerThanItsPartsLeavesSomeEmpty) {
  const auto order = permutation(3, 5, 0);
  std::size_t empty = 0;
  for (std::int64_t i = 0; i < 8; ++i) empty += micro_batch(order, i, 8).empty();
  EXPECT_EQ(empty, 5u);
}

TEST(Sampler, GoesOnFromAnyPosition) {
  Sampler whole(103, 16, 9);
  for (int step = 0; step < 10; ++step) whole.next();
  Sampler resumed(103, 16, 9, whole.position());
  for (int step = 0; step < 10; ++step) {
    const auto expected = copy(whole.next());
    EXPECT_EQ(copy(resumed.next()), expected);
  }
}

TEST(Sampler, EpochsAndSeedsHaveOrdersOfTheirOwn) {
  EXPECT_NE(permutation(50, 1, 0), permutation(50, 1, 1));
  EXPECT_NE(permutation(50, 1, 0), permutation(50, 2, 0));
  EXPECT_EQ(permutation(50, 1, 3), permutation(50, 1, 3));
}

// The order is a contract: a resume on a newer version must go on with the same samples.
TEST(Sampler, TheOrderIsFixedForGood) {
  EXPECT_EQ(permutation(10, 42, 0), (std::vector<std::int64_t>{6, 1, 8, 7, 5, 4, 0, 2, 9, 3}));
  EXPECT_EQ(permutation(10, 42, 1), (std::vector<std::int64_t>{0, 2, 7, 5, 9, 3, 1, 8, 4, 6}));
}

TEST(Sampler, PlacesAreUniform) {
  std::vector<int> counts(5, 0);
  for (std::int64_t epoch = 0; epoch < 5'000; ++epoch) ++counts[permutation(5, 3, epoch)[0]];
  for (const int count : counts) EXPECT_NEAR(count, 1'000, 120);
}

}  // namespace
}  // namespace dt::trial
