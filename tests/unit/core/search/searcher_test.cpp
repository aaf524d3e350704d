#include <gtest/gtest.h>

#include "core/search/preview.h"
#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

TEST(Searcher, ShutsDownOnceWhenEveryRequestedTrialIsClosed) {
  Searcher searcher(random_of(2, 2), small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::errored)), "shutdown");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::errored)), "");
  EXPECT_EQ(searcher.trials_requested(), 2);
  EXPECT_EQ(searcher.trials_closed(), 2);
}

TEST(Searcher, TellsWhetherAllFailedOrAllWereCancelled) {
  const auto ends = [](ExitReason first, ExitReason second) {
    Searcher searcher(random_of(2, 2), small_space(), 0);
    (void)searcher.start();
    (void)searcher.trial_exited(0, first);
    return text_of(searcher.trial_exited(1, second));
  };
  EXPECT_EQ(ends(ExitReason::errored, ExitReason::errored), "shutdown failure");
  EXPECT_EQ(ends(ExitReason::user_cancelled, ExitReason::user_cancelled), "shutdown cancel");
  EXPECT_EQ(ends(ExitReason::errored, ExitReason::user_cancelled), "shutdown");
  EXPECT_EQ(ends(ExitReason::errored, ExitReason::completed), "shutdown");
}

TEST(Searcher, EndsInsteadOfReplacingInvalidTrialsForEver) {
  Searcher searcher(random_of(2, 1), small_space(), 0);
  (void)searcher.start();
  for (int trial = 0; trial < 99; ++trial) {
    EXPECT_EQ(text_of(searcher.trial_exited(trial, ExitReason::invalid_hp)),
              cat("create ", trial + 1));
  }
  EXPECT_EQ(text_of(searcher.trial_exited(99, ExitReason::invalid_hp)), "shutdown");
}

TEST(Searcher, ReplacesInvalidTrialsAsLongAsSomeAreValid) {
  Searcher searcher(random_of(2, 1), small_space(), 0);
  (void)searcher.start();
  (void)searcher.trial_exited(0, ExitReason::completed);
  for (int trial = 1; trial < 150; ++trial) {
    EXPECT_EQ(text_of(searcher.trial_exited(trial, ExitReason::invalid_hp)),
              cat("create ", trial + 1));
  }
}

TEST(Searcher, HasProgressBeforeItStarts) {
  const Searcher searcher(random_of(2, 2), small_space(), 0);
  EXPECT_EQ(searcher.progress(), 0);
}

TEST(Searcher, RefusesASnapshotOfAnotherMethodOrVersion) {
  Searcher random(random_of(2, 2), small_space(), 0);
  Searcher grid(grid_of(2), small_space(), 0);
  EXPECT_EQ(grid.restore(random.snapshot()).message(),
            "searcher snapshot is of method 'random' version 3, this searcher is 'grid' version 3");
  Value later = random.snapshot();
  later.set("version", 4);
  EXPECT_EQ(random.restore(later).message(),
            "searcher snapshot is of method 'random' version 4, this searcher is 'random' version "
            "3");
  EXPECT_EQ(random.restore(Value(7)).message(),
            "searcher snapshot: 'method' must be a string, not null");
}

TEST(Preview, TellsTrialsAndUnits) {
  using Lines = std::vector<PreviewLine>;
  EXPECT_EQ(preview_search(random_of(12, 2), {}), (Lines{{.trials = 12, .units = {}}}));
  EXPECT_EQ(preview_search(grid_of(2), small_space()), (Lines{{.trials = 12, .units = {}}}));
  EXPECT_EQ(preview_search(
                halving_of({.rungs = 3, .max_trials = 16, .divisor = 4, .max_time = 1000}), {}),
            (Lines{{12, 62}, {3, 250}, {1, 1000}}));
}

TEST(Preview, JoinsRungsOfEqualUnits) {
  using Lines = std::vector<PreviewLine>;
  EXPECT_EQ(
      preview_search(halving_of({.rungs = 3, .max_trials = 16, .divisor = 4, .max_time = 2}), {}),
      (Lines{{15, 1}, {1, 2}}));
}

}  // namespace
}  // namespace dt::core
