// The central oracle (DESIGN §9): two ranks do what one rank with accumulation 2 does, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "base/cat.h"
#include "ranks.h"

namespace dt::trial {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::string output_of(int size, const Words& arguments) {
  const auto results = run_ranks({size, arguments, {}});
  for (const auto& result : results) EXPECT_EQ(result.code, 0) << result.err;
  return results[0].out;
}

// Losses of all steps, the validation and the parameters' hash.
void expect_equal(const Words& arguments) {
  const std::string one = output_of(1, arguments + Words{"--accumulate", "2"});
  const std::string two = output_of(2, arguments + Words{"--accumulate", "1"});
  EXPECT_GE(lines_of(one, "training").size(), 5u);
  EXPECT_EQ(one, two);
}

TEST(Oracle, TwoRanksEqualOneWithAccumulation) { expect_equal({}); }
TEST(Oracle, WithAdamWAndDropout) { expect_equal({"--optimizer", "adamw", "--dropout", "0.3"}); }
TEST(Oracle, WithClippingAndUnusedParameters) {
  expect_equal({"--clip", "true", "--has_unused", "true", "--allow_unused", "true"});
}
// Gradients of 7 MB: the Reducer rebuilds its first bucket into several.
TEST(Oracle, WithSeveralBuckets) { expect_equal({"--width", "180000", "--steps", "5"}); }
// Windows of 16 and 1: rank 0 has no sample in every second step, yet takes part.
TEST(Oracle, WithATailThatLeavesARankWithoutSamples) {
  expect_equal({"--samples", "17", "--optimizer", "adamw"});
}

TEST(Oracle, ATailOfOneSampleIsNotWeighedAsAFullBatch) {
  const std::string one = output_of(1, {"--samples", "17", "--batch", "17"});
  const std::string parts = output_of(3, {"--samples", "17", "--batch", "17"});
  EXPECT_NEAR(number_in(lines_of(one, "training step=1 ")[0], "loss"),
              number_in(lines_of(parts, "training step=1 ")[0], "loss"), 1e-6);
}

// The test can fail: the rule that averages the ranks' own means passes on one rank and not on two.
TEST(Oracle, MeanOfMeansFailsIt) {
  const std::string one = output_of(1, {"mean-of-means", "--accumulate", "2"});
  const std::string two = output_of(2, {"mean-of-means", "--accumulate", "1"});
  EXPECT_EQ(one, output_of(1, {"--accumulate", "2"}));
  EXPECT_NE(lines_of(one, "final"), lines_of(two, "final"));
  EXPECT_GT(std::abs(number_in(lines_of(one, "final")[0], "loss") -
                     number_in(lines_of(two, "final")[0], "loss")),
            1e-4);
}

TEST(Oracle, FourRanksAgreeWithOneToAMillionth) {
  const auto one = lines_of(output_of(1, {"--accumulate", "4"}), "training");
  const auto four = lines_of(output_of(4, {}), "training");
  ASSERT_EQ(one.size(), 20u);
  ASSERT_EQ(four.size(), 20u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double expected = number_in(one[i], "loss");
    EXPECT_NEAR(number_in(four[i], "loss"), expected, 1e-6 * expected) << one[i];
  }
}

TEST(Validation, CountsEachSampleOnceAndHasTheSameBitsAtAnyWorldSize) {
  const Words arguments = {"--steps", "1", "--lr", "0"};
  const auto one = lines_of(output_of(1, arguments), "validation");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(number_in(one[0], "seen"), 101);
  EXPECT_EQ(lines_of(output_of(2, arguments), "validation"), one);
  EXPECT_EQ(lines_of(output_of(3, arguments), "validation"), one);
}

}  // namespace
}  // namespace dt::trial
