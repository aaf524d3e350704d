#include "core/search/pbt.h"

#include <gtest/gtest.h>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

SearcherConfig population_of(int size, double truncate_fraction = 0.25) {
  return {.metric = "loss",
          .smaller_is_better = true,
          .method = PbtSearch{.population_size = size,
                              .interval = 10,
                              .truncate_fraction = truncate_fraction,
                              .max_time = 30}};
}

class Pbt : public testing::Test {
 protected:
  Pbt() { take(searcher_.start()); }

  std::string report(SearchTrial trial, std::int64_t time, double metric) {
    return take(searcher_.validation_completed({trial, metric, time}));
  }
  std::string exit(SearchTrial trial, ExitReason reason) {
    return take(searcher_.trial_exited(trial, reason));
  }
  std::string take(const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      if (const auto* create = std::get_if<CreateTrial>(&operation)) created_.push_back(*create);
    }
    return text_of(operations);
  }

  Searcher searcher_{population_of(4), small_space(), 3};
  std::vector<CreateTrial> created_;
};

TEST_F(Pbt, ReplacesTheWorstByACopyOfTheBest) {
  EXPECT_EQ(created_.size(), 4u);
  EXPECT_EQ(report(0, 10, .1), "");
  EXPECT_EQ(report(1, 10, .2), "");
  EXPECT_EQ(report(2, 10, .3), "stop 2, create 4");  // the last of three, before the fourth came
  EXPECT_EQ(created_[4].parent, 0);
  EXPECT_EQ(report(3, 10, .15), "");
}

TEST_F(Pbt, ComparesOnlyWhenTheIntervalIsOver) {
  report(0, 10, .1);
  report(1, 10, .2);
  EXPECT_EQ(report(2, 9, 9.), "");
  EXPECT_EQ(report(2, 11, .3), "stop 2, create 4");
}

TEST_F(Pbt, GivesACopyAnIntervalBeforeItIsCompared) {
  report(0, 10, .1);
  report(1, 10, .2);
  report(2, 10, .3);
  EXPECT_EQ(report(4, 15, 9.), "") << "it starts at its parent's time";
  EXPECT_EQ(report(4, 20, 9.), "stop 4, create 5");
}

TEST_F(Pbt, KeepsTheCopyInTheSpaceAndNearItsParent) {
  report(0, 10, .1);
  report(1, 10, .2);
  report(2, 10, .3);
  const double rate = created_[4].hparams["optimizer"]["rate"].as_double();
  EXPECT_TRUE(rate >= 0 && rate <= 1);
  EXPECT_EQ(created_[4].hparams["batch"], Value(64));
  EXPECT_NE(created_[4].hparams, created_[0].hparams);
}

TEST_F(Pbt, EndsEveryMemberAtTheMaximum) {
  report(0, 10, .1);
  EXPECT_EQ(report(0, 30, .05), "stop 0");
  EXPECT_EQ(report(1, 30, .3), "stop 1");
  EXPECT_EQ(report(2, 30, .3), "stop 2");
  EXPECT_EQ(report(3, 30, .3), "stop 3");
}

TEST_F(Pbt, ReplacesACrashByACopyAndAnInvalidTrialByASample) {
  report(0, 10, .1);
  EXPECT_EQ(exit(1, ExitReason::errored), "create 4");
  EXPECT_EQ(created_[4].parent, 0);
  EXPECT_EQ(exit(2, ExitReason::invalid_hp), "create 5");
  EXPECT_EQ(created_[5].parent, std::nullopt);
}

TEST_F(Pbt, EndsWhenEveryMemberCrashes) {
  exit(0, ExitReason::errored);
  exit(1, ExitReason::errored);
  exit(2, ExitReason::errored);
  EXPECT_EQ(exit(3, ExitReason::errored), "shutdown failure");
}

}  // namespace
}  // namespace dt::core
