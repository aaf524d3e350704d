#include "core/experiment/summary.h"

#include <gtest/gtest.h>

#include "core/experiment/attempt_end.h"

namespace dt::core {
namespace {

TrialRow failed(std::int64_t id) {
  return {.id = {id}, .state = TrialState::error, .message = "rank 0 exited with 3"};
}
TrialRow invalid(std::int64_t id) {
  return {.id = {id}, .state = TrialState::completed, .message = cat(invalid_hparams_words, "no")};
}
TrialRow good(std::int64_t id) {
  return {.id = {id}, .state = TrialState::completed, .latest_metric = 1, .best_metric = 1};
}

std::string summary(const std::vector<TrialRow>& rows, const decltype(SearcherConfig::method)& method,
                    ExperimentRow experiment = {.state = ExperimentState::stopping_completed}) {
  SearcherConfig searcher;
  searcher.method = method;
  std::vector<const TrialRow*> trials;
  for (const TrialRow& row : rows) {
    if (row.best_metric) experiment.best_metric = row.best_metric;
    trials.push_back(&row);
  }
  return summary_of(experiment, searcher, trials);
}

TEST(Summary, SaysNothingWhereAllIsWell) {
  EXPECT_EQ(summary({good(1), good(2)}, RandomSearch{}), "");
  EXPECT_EQ(summary({good(1), invalid(2)}, RandomSearch{}), "") << "a search may try such";
  EXPECT_EQ(summary({}, RandomSearch{}), "");
}

TEST(Summary, CountsFailures) {
  EXPECT_EQ(summary({good(1), failed(2), failed(3)}, RandomSearch{}),
            "2 of 3 trials failed; trial 3: rank 0 exited with 3");
}

TEST(Summary, OfASearchThatFoundNothingSaysWhy) {
  EXPECT_EQ(summary({failed(1), invalid(2), invalid(3)}, RandomSearch{}),
            "no trial gave a valid metric: 1 of 3 trials failed, 2 had invalid hyperparameters; "
            "trial 1: rank 0 exited with 3");
}

TEST(Summary, OfASingleTrialLooksForNoMetric) {
  EXPECT_EQ(summary({failed(1)}, SingleSearch{}),
            "every trial failed; trial 1: rank 0 exited with 3");
  EXPECT_EQ(summary({invalid(1)}, SingleSearch{}),
            "every trial had invalid hyperparameters; trial 1: invalid hyperparameters: no");
  EXPECT_EQ(summary({{.id = {1}, .state = TrialState::completed}}, SingleSearch{}), "");
}

TEST(Summary, FollowsAMessageThatIsThereAlready) {
  EXPECT_EQ(summary({failed(1)}, RandomSearch{},
                    {.state = ExperimentState::stopping_error, .message = "cannot go on"}),
            "cannot go on; trial 1: rank 0 exited with 3");
}

TEST(Summary, BlamesNobodyForWhatAPersonEnded) {
  EXPECT_EQ(summary({{.id = {1}, .state = TrialState::canceled}}, RandomSearch{},
                    {.state = ExperimentState::stopping_killed}),
            "");
}

}  // namespace
}  // namespace dt::core
