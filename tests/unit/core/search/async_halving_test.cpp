#include "core/search/async_halving.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

class AsyncHalving : public testing::Test {
 protected:
  explicit AsyncHalving(const Halving& halving = {})
      : searcher_(halving_of(halving), small_space(), 0) {}

  std::string start() { return text_of(searcher_.start()); }
  std::string report(SearchTrial trial, std::int64_t time, double metric) {
    return text_of(searcher_.validation_completed({trial, metric, time}));
  }
  std::string exit(SearchTrial trial, ExitReason reason = ExitReason::completed) {
    return text_of(searcher_.trial_exited(trial, reason));
  }

  Searcher searcher_;
};

TEST_F(AsyncHalving, ReplacesEachStoppedTrialUntilAllWereMade) {
  EXPECT_EQ(start(), "create 0, create 1");
  EXPECT_EQ(report(0, 1, .5), "");
  EXPECT_EQ(report(1, 1, .6), "stop 1, create 2");
  EXPECT_EQ(exit(1), "");
  EXPECT_EQ(report(2, 1, .7), "stop 2, create 3");
  EXPECT_EQ(report(3, 1, .8), "stop 3, create 4");
  EXPECT_EQ(report(4, 1, .9), "stop 4");
  EXPECT_EQ(exit(2) + exit(3) + exit(4), "");
  EXPECT_EQ(report(0, 9, .1), "stop 0");
  EXPECT_EQ(exit(0), "shutdown");
  EXPECT_EQ(searcher_.progress(), 1);
}

TEST_F(AsyncHalving, TellsHowManyWentOnFromEachRung) {
  start();  // rungs at 1, 3 and 9
  report(0, 1, .5);
  report(1, 1, .6);
  report(0, 9, .4);
  report(2, 1, .7);
  exit(3, ExitReason::errored);
  using Rungs = std::vector<RungState>;
  EXPECT_EQ(searcher_.rungs(),
            (Rungs{{.units = 1, .trials = 4, .continued = 1, .stopped = 3, .best = .5},
                   {.units = 3, .trials = 1, .continued = 1, .best = .4},
                   {.units = 9, .trials = 1, .best = .4}}));
  EXPECT_EQ(searcher_.trials_wanted(), 5);
}

TEST_F(AsyncHalving, NeverJudgesAValueOfAStoppedTrial) {
  start();
  report(0, 1, .5);
  EXPECT_EQ(report(1, 1, .6), "stop 1, create 2");
  EXPECT_EQ(report(1, 3, .1), "");
  EXPECT_EQ(report(1, 9, .1), "");
}

TEST_F(AsyncHalving, NeverJudgesAValueOfATrialThatIsOver) {
  start();
  EXPECT_EQ(exit(1, ExitReason::errored), "create 2");
  EXPECT_EQ(report(1, 1, .1), "");
}

TEST_F(AsyncHalving, KeepsTheLimitWhenAStoppedTrialCrashesOnItsWayOut) {
  start();
  report(0, 1, .5);
  EXPECT_EQ(report(1, 1, .6), "stop 1, create 2");
  EXPECT_EQ(exit(1, ExitReason::errored), "");
}

TEST_F(AsyncHalving, KeepsTheLimitWhenAStoppedTrialTurnsOutInvalidAndStillMakesAllTrials) {
  start();
  report(0, 1, .5);
  EXPECT_EQ(report(1, 1, .6), "stop 1, create 2");
  EXPECT_EQ(exit(1, ExitReason::invalid_hp), "");  // trials 0 and 2 are going
  EXPECT_EQ(report(2, 1, .7), "stop 2, create 3");
  EXPECT_EQ(report(3, 1, .8), "stop 3, create 4");
  EXPECT_EQ(report(4, 1, .9), "stop 4, create 5");  // five valid ones: all but trial 1
  EXPECT_EQ(report(5, 1, 1.), "stop 5");
}

TEST_F(AsyncHalving, ReplacesAnInvalidTrialEvenWhenAllWereMade) {
  start();
  report(0, 1, .5);
  for (int trial = 1; trial < 4; ++trial) report(trial, 1, .5 + trial);
  EXPECT_EQ(exit(4, ExitReason::invalid_hp), "create 5");
}

// Determined starts nothing for such a trial, and its search ends before max_trials were tried.
TEST_F(AsyncHalving, ReplacesATrialThatCompletesBeforeTheTop) {
  start();
  report(0, 1, .5);
  EXPECT_EQ(exit(0), "create 2");
  EXPECT_EQ(exit(1), "create 3");
  EXPECT_EQ(exit(2), "create 4");
  EXPECT_EQ(exit(3), "");
  EXPECT_EQ(exit(4), "shutdown");
}

TEST_F(AsyncHalving, TellsThatEveryTrialFailed) {
  start();
  for (int trial = 0; trial < 4; ++trial) exit(trial, ExitReason::errored);
  EXPECT_EQ(exit(4, ExitReason::errored), "shutdown failure");
}

TEST_F(AsyncHalving, RestoresNothingFromABrokenSnapshot) {
  start();
  const Value good = searcher_.snapshot();
  const auto with_phases = [&](const char* phases) {
    Value bracket = good["state"]["brackets"].as_array()[0];
    bracket.set("phases", phases);
    Value state = good["state"];
    state.set("brackets", Value::Array{bracket});
    Value broken = good;
    return broken.set("state", state);
  };
  EXPECT_EQ(searcher_.restore(with_phases("ox")).message(),
            "searcher snapshot: 'x' in 'phases' is none of ose");
  EXPECT_EQ(searcher_.restore(with_phases("o")).message(),
            "searcher snapshot: 1 trials in 'phases', 2 on the rungs");
  EXPECT_EQ(searcher_.snapshot(), good);
}

class LargerIsBetter : public AsyncHalving {
 protected:
  LargerIsBetter() : AsyncHalving({.smaller_is_better = false}) {}
};

TEST_F(LargerIsBetter, StopsTheSmallerOne) {
  start();
  EXPECT_EQ(report(0, 1, .5), "");
  EXPECT_EQ(report(1, 1, .4), "stop 1, create 2");
  EXPECT_EQ(report(2, 1, .6), "");
  EXPECT_EQ(report(2, 3, std::nan("")), "stop 2, create 3");
}

TEST(AsyncHalvingStart, WithoutALimitStartsWhatLetsOneReachTheTop) {
  const auto started = [](const Halving& halving) {
    Searcher searcher(halving_of(halving), small_space(), 0);
    return searcher.start().size();
  };
  EXPECT_EQ(started({.rungs = 3, .max_trials = 100, .divisor = 4, .max_concurrent_trials = 0}),
            16u);
  EXPECT_EQ(started({.rungs = 3, .max_trials = 100, .divisor = 2.5, .max_concurrent_trials = 0}),
            6u);
  EXPECT_EQ(started({.rungs = 60, .max_trials = 7, .divisor = 4, .max_concurrent_trials = 0}), 7u);
  EXPECT_EQ(started({.rungs = 1, .max_trials = 7, .divisor = 4, .max_concurrent_trials = 0}), 1u);
  EXPECT_EQ(started({.max_trials = 3, .max_concurrent_trials = 16}), 3u);
}

TEST(AsyncHalvingConstants, DoNotReplaceWhatWouldBeInvalidAgain) {
  Searcher searcher(halving_of({.max_trials = 2, .max_concurrent_trials = 2}), constants(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::invalid_hp)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::invalid_hp)), "shutdown");
}

}  // namespace
}  // namespace dt::core
