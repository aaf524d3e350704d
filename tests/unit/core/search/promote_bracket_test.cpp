#include "core/search/promote_bracket.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

class Promotion : public testing::Test {
 protected:
  explicit Promotion(Halving halving = {.max_trials = 9}) : searcher_(promoting(halving)) {}

  static Searcher promoting(Halving halving) {
    halving.promote = true;
    return Searcher(halving_of(halving), small_space(), 0);
  }

  std::string start() { return text_of(searcher_.start()); }
  std::string report(SearchTrial trial, std::int64_t time, double metric) {
    return text_of(searcher_.validation_completed({trial, metric, time}));
  }
  std::string exit(SearchTrial trial, ExitReason reason = ExitReason::completed) {
    return text_of(searcher_.trial_exited(trial, reason));
  }

  Searcher searcher_;  // rungs of 1, 3 and 9 units, divisor 3, two trials at a time
};

TEST_F(Promotion, PausesATrialAndGivesItsPlaceToANewOne) {
  EXPECT_EQ(start(), "create 0, create 1");
  EXPECT_EQ(report(0, 1, .5), "pause 0, create 2");
  EXPECT_TRUE(searcher_.is_paused(0));
  EXPECT_EQ(report(1, 1, .6), "pause 1, create 3");
}

TEST_F(Promotion, ResumesAPausedTrialWhenItIsAmongTheBestThird) {
  start();
  report(0, 1, .5);
  report(1, 1, .6);
  EXPECT_EQ(report(2, 1, .7), "pause 2, resume 0");
  EXPECT_FALSE(searcher_.is_paused(0));
}

TEST_F(Promotion, LetsATrialGoOnThatIsTheBestJobItself) {
  start();
  report(0, 1, .5);
  report(1, 1, .6);
  EXPECT_EQ(report(2, 1, .4), "");
  EXPECT_FALSE(searcher_.is_paused(2));
}

class LongPromotion : public Promotion {
 protected:
  LongPromotion() : Promotion({.max_trials = 60}) {}
};

// The next rung gets the three that it needs; then only the best sixth are resumed.
TEST_F(LongPromotion, ResumesFewerWhenTheNextRungCanCompare) {
  start();
  std::vector<int> resumed_after;
  for (int trial = 0; trial < 30; ++trial) {
    const std::string said = report(trial, 1, .01 * trial);
    if (said.find("resume") == std::string::npos) continue;
    const int resumed = static_cast<int>(resumed_after.size());
    resumed_after.push_back(trial + 1);
    EXPECT_EQ(said, cat("pause ", trial, ", resume ", resumed));
    exit(resumed);
  }
  EXPECT_EQ(resumed_after, (std::vector{3, 6, 9, 24, 30}));
}

TEST_F(Promotion, PromotesFromEveryRungUpToTheTop) {
  start();
  for (int trial = 0; trial < 6; ++trial) report(trial, 1, .1 * (trial + 1));
  EXPECT_EQ(report(0, 3, .3), "pause 0, create 6");  // 0 and 1 were resumed
  EXPECT_EQ(report(1, 3, .2), "pause 1, create 7");
  EXPECT_EQ(report(6, 1, .05), "");
  EXPECT_EQ(report(6, 3, .4), "pause 6, resume 1");  // the best of three on the second rung
  EXPECT_EQ(report(1, 9, .1), "stop 1, create 8");
}

TEST_F(Promotion, BreaksTiesByTheTrialsNumber) {
  start();
  report(0, 1, .5);
  report(1, 1, .5);
  EXPECT_EQ(report(2, 1, .5), "pause 2, resume 0");
}

TEST_F(Promotion, StopsATrialThatDivergedAndNeverPromotesIt) {
  start();
  EXPECT_EQ(report(0, 1, std::nan("")), "stop 0, create 2");
}

TEST_F(Promotion, JudgesValuesReportedAfterThePauseWhenItPromotes) {
  start();
  report(0, 1, .5);
  EXPECT_EQ(report(0, 2, .45), "");  // it was not quick to pause
  EXPECT_EQ(report(0, 4, .4), "");
  report(1, 1, .6);
  // Promoted, trial 0 has its value on the second rung already, and there it waits on.
  EXPECT_EQ(report(2, 1, .7), "pause 2, create 4");
  EXPECT_TRUE(searcher_.is_paused(0));
}

TEST_F(Promotion, JudgesKeptValuesInStepOrderUpToTheTop) {
  start();
  report(0, 1, .5);
  report(0, 9, .3);
  report(0, 4, .4);  // late
  report(1, 1, .6);
  report(2, 1, .7);  // 0 stands on the second rung
  report(3, 1, .8);
  report(4, 1, .9);
  EXPECT_EQ(report(5, 1, 1.), "pause 5, resume 1");
  EXPECT_EQ(report(1, 3, .6), "pause 1, create 7");
  EXPECT_EQ(report(6, 1, 1.1), "pause 6, create 8");
  EXPECT_EQ(report(7, 1, .2), "");                 // better than all: it goes on
  EXPECT_EQ(report(7, 3, .5), "stop 0, pause 7");  // 0 is promoted to the top, judged there
}

TEST_F(Promotion, StartsNothingForATrialThatEndedBeforeItsPause) {
  start();
  report(0, 1, .5);
  report(0, 3, .4);
  EXPECT_EQ(exit(0), "");
  report(1, 1, .6);
  EXPECT_EQ(report(2, 1, .7), "pause 2, create 4");  // 0 is judged by its stored value
  EXPECT_EQ(report(3, 1, .8), "pause 3, create 5");
}

TEST_F(Promotion, NeverPromotesATrialThatFailedWhilePaused) {
  start();
  report(0, 1, .5);
  report(1, 1, .6);
  EXPECT_EQ(exit(0, ExitReason::errored), "");
  EXPECT_EQ(report(2, 1, .7), "pause 2, create 4");  // 1 is only the second of three
}

TEST_F(Promotion, CountsACrashAsTheWorstOfItsRung) {
  start();
  EXPECT_EQ(exit(0, ExitReason::errored), "create 2");
  report(1, 1, .6);
  EXPECT_EQ(report(2, 1, .5), "");  // three on the rung: the best of them
}

TEST_F(Promotion, ReplacesAnInvalidTrial) {
  start();
  EXPECT_EQ(exit(0, ExitReason::invalid_hp), "create 2");
}

// --- scouts: does the first rung tell anything?

class Scouting : public Promotion {
 protected:
  Scouting() : Promotion({.max_trials = 200, .max_concurrent_trials = 40}) { start(); }

  // Trials that are worse and worse on the first rung: 0, .01, …; `next` says how they are on the
  // second.
  template <class Next>
  void train(int first, int last, Next next) {
    for (int trial = first; trial < last; ++trial) {
      report(trial, 1, .01 * trial);
      report(trial, 3, next(.01 * trial));
    }
  }
};

TEST_F(Scouting, ScoutsAreJudgedOnTheFirstRungWhenTheyReachTheSecond) {
  EXPECT_EQ(report(0, 1, .5), "");
  EXPECT_EQ(report(0, 2, .45), "");
  EXPECT_EQ(report(0, 3, .4), "pause 0, create 40");
  EXPECT_EQ(searcher_.rungs()[0].best, .5);
  EXPECT_EQ(searcher_.rungs()[1].trials, 0) << "its value there is kept until it is promoted";
}

TEST_F(Scouting, AfterThemTrialsArePausedOnTheFirstRungIfItTells) {
  train(0, 16, [](double first) { return first + 1; });
  EXPECT_EQ(report(16, 1, .9).substr(0, 8), "pause 16");
}

TEST_F(Scouting, AFirstRungThatMisleadsIsPassedByAll) {
  train(0, 16, [](double first) { return 1 - first; });
  EXPECT_EQ(report(16, 1, .9), "");
}

TEST_F(Scouting, ADoubtedRungIsTrustedAgainWhenLaterTrialsSpeakForIt) {
  train(0, 16, [](double first) { return first < .02 ? 1 - first : first; });
  EXPECT_EQ(report(39, 1, .9), "") << "it is doubted";
  train(16, 32, [](double first) { return first; });
  EXPECT_EQ(report(32, 1, .95).substr(0, 8), "pause 32");
}

TEST_F(Scouting, AScoutThatDivergesIsStoppedAtOnce) {
  EXPECT_EQ(report(0, 1, std::nan("")), "stop 0, create 40");
}

TEST_F(Scouting, AScoutThatCrashesHasItsValueOnTheFirstRung) {
  report(0, 1, .5);
  EXPECT_EQ(exit(0, ExitReason::errored), "create 40");
  EXPECT_EQ(searcher_.rungs()[0].trials, 1);
  EXPECT_EQ(searcher_.rungs()[0].best, .5);
}

TEST_F(Promotion, ASmallSearchHasNoScouts) {
  start();
  EXPECT_EQ(report(0, 1, .5), "pause 0, create 2");
}

class LastPromotions : public Promotion {
 protected:
  LastPromotions() : Promotion({.max_trials = 2}) {}
};

// Two trials fill no third, yet one is trained to the top; then the other is stopped.
TEST_F(LastPromotions, TrainOneTrialInFull) {
  EXPECT_EQ(start(), "create 0, create 1");
  EXPECT_EQ(report(0, 1, .5), "pause 0");
  EXPECT_EQ(report(1, 1, .4), "");  // the best, and nothing else trains
  EXPECT_EQ(report(1, 3, .4), "");
  EXPECT_EQ(report(1, 9, .4), "stop 1, stop 0");
  EXPECT_EQ(exit(0), "");
  EXPECT_EQ(exit(1), "shutdown");
}

TEST_F(LastPromotions, TryTheNextWhenTheBestCrashes) {
  start();
  report(0, 1, .5);
  report(1, 1, .4);
  EXPECT_EQ(exit(1, ExitReason::errored), "resume 0");
}

}  // namespace
}  // namespace dt::core
