// What goes wrong is said, with a way out, and has the right exit code.
#include <gtest/gtest.h>

#include <cmath>

#include "ranks.h"

namespace dt::trial {
namespace {

RankResult run_one(const std::vector<std::string>& arguments) {
  return run_ranks({1, arguments, {}})[0];
}

void expect_error(const RankResult& result, int code, const std::string& text) {
  EXPECT_EQ(result.code, code);
  EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
}

TEST(Failure, ANanLossIsReportedAndTrainingGoesOn) {
  const auto results = run_ranks({2, {"--nan_at", "3", "--bad_rank", "1"}, {}});
  EXPECT_EQ(results[0].code, 0) << results[0].err;
  EXPECT_EQ(lines_of(results[0].out, "training step=3 absolute_error=").size(), 1u);
  EXPECT_TRUE(std::isnan(number_in(lines_of(results[0].out, "training step=3")[0], "loss")));
  EXPECT_EQ(lines_of(results[0].out, "training").size(), 20u);
  expect_error(results[0], 0, "WARNING: rank 0: the loss of step 3 is nan");
}

TEST(Failure, ANanLossEndsTheRunWhenAsked) {
  const auto results =
      run_ranks({2, {"--nan_at", "3", "--bad_rank", "1", "--on-nonfinite", "fail"}, {}});
  expect_error(results[0], 1, "rank 0: the loss of step 3 is nan");
  expect_error(results[1], 1, "rank 1: the loss of step 3 is nan");
  EXPECT_EQ(lines_of(results[0].out, "training").size(), 2u);
}

// The peers' timeout is ten minutes and this test's patience one: they end by the broken
// connection.
TEST(Failure, ADeadRankEndsTheOthersAtOnce) {
  const auto results =
      run_ranks({3, {"--die_at", "5", "--bad_rank", "2", "--gloo-timeout", "600"}, {}});
  EXPECT_EQ(results[2].code, 137);
  expect_error(results[0], 1, "another rank is gone, or cannot be reached: ");
  expect_error(results[1], 1, "another rank is gone, or cannot be reached: ");
}

TEST(Failure, AnInterfaceThatIsNotThereIsNamed) {
  const auto results = run_ranks({2, {"--steps", "1"}, {{"GLOO_SOCKET_IFNAME", "bogus0"}}});
  expect_error(results[0], 1, "bogus0");
  EXPECT_EQ(run_ranks({2, {"--steps", "1"}, {{"GLOO_SOCKET_IFNAME", "lo"}}})[0].code, 0);
}

TEST(Failure, ARankThatThrowsEndsTheOthersToo) {
  const auto results = run_ranks({2, {"--throw_at", "2", "--bad_rank", "0"}, {}});
  expect_error(results[0], 1, "dovetail: rank 0: the trial gave up");
  EXPECT_EQ(results[1].code, 1) << results[1].err;
}

TEST(Failure, InvalidHyperparametersExitWith78) {
  expect_error(run_one({"--lr", "-1"}), 78, "invalid hyperparameters: lr must not be negative");
}

TEST(Failure, AMissingHyperparameterIsNamed) {
  expect_error(run_one({"--needs_depth", "true"}), 1,
               "the trial needs hyperparameter 'depth'; given are: needs_depth (add it to");
  expect_error(run_one({"--lr", "fast"}), 1,
               R"(hyperparameter 'lr' is "fast", a string, but the trial needs a number)");
}

TEST(Failure, AMisspeltFlagIsNamed) {
  expect_error(run_one({"--stesp", "3"}), 2,
               "flag --stesp is neither the harness's nor a hyperparameter");
}

TEST(Failure, AnUnusedParameterIsNamed) {
  const auto results = run_ranks({2, {"--has_unused", "true"}, {}});
  expect_error(results[0], 1, "parameter 'unused.weight' took no part in the loss");
  expect_error(results[0], 1, "call context.allow_unused_parameters()");
}

TEST(Failure, ATrialMayEndTrainingItself) {
  const auto results = run_ranks({2, {"--stop_at", "6", "--bad_rank", "1"}, {}});
  EXPECT_EQ(results[0].code, 0) << results[0].err;
  EXPECT_EQ(lines_of(results[0].out, "training").size(), 6u);
  EXPECT_EQ(lines_of(results[0].out, "validation step=6").size(), 1u);
}

}  // namespace
}  // namespace dt::trial
