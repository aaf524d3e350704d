#include "core/search/random.h"

#include <gtest/gtest.h>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

TEST(RandomSearch, KeepsTheLimitOfTrialsGoing) {
  Searcher searcher(random_of(4, 2), small_space(), 0);
  EXPECT_EQ(text_of(searcher.start()), "create 0, create 1");
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::completed)), "create 2");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::errored)), "create 3");
  EXPECT_EQ(text_of(searcher.trial_exited(2, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(3, ExitReason::completed)), "shutdown");
}

TEST(RandomSearch, WithoutALimitStartsAllAtOnce) {
  Searcher searcher(random_of(3, 0), small_space(), 0);
  EXPECT_EQ(text_of(searcher.start()), "create 0, create 1, create 2");
}

TEST(RandomSearch, NeverStopsATrialWhateverItReports) {
  Searcher searcher(random_of(3, 3), small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.validation_completed({.trial = 1, .metric = 1e9, .time = 5})), "");
}

TEST(RandomSearch, ReplacesAnInvalidTrialAndDoesNotCountIt) {
  Searcher searcher(random_of(2, 2), small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::invalid_hp)), "create 2");
  EXPECT_EQ(searcher.progress(), 0);
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(2, ExitReason::completed)), "shutdown");
  EXPECT_EQ(searcher.progress(), 1);
}

TEST(RandomSearch, ProgressNeverFallsWhenTrialsAreAdded) {
  Searcher searcher(random_of(4, 1), small_space(), 0);
  (void)searcher.start();
  searcher.set_trial_progress(0, 0.5);
  EXPECT_EQ(searcher.progress(), 0.125);
  (void)searcher.trial_exited(0, ExitReason::completed);
  EXPECT_EQ(searcher.progress(), 0.25);
}

TEST(SingleSearch, IsOneTrial) {
  Searcher searcher({.metric = "loss", .smaller_is_better = true, .method = SingleSearch{}},
                    constants(), 0);
  EXPECT_EQ(text_of(searcher.start()), "create 0");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::completed)), "shutdown");
}

TEST(SingleSearch, EndsWhenItsOnlyHyperparametersAreInvalid) {
  Searcher searcher({.metric = "loss", .smaller_is_better = true, .method = SingleSearch{}},
                    constants(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::invalid_hp)), "shutdown");
}

TEST(SingleSearch, DrawsAgainWhereTheSpaceVaries) {
  Searcher searcher({.metric = "loss", .smaller_is_better = true, .method = SingleSearch{}},
                    small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::invalid_hp)), "create 1");
}

}  // namespace
}  // namespace dt::core
