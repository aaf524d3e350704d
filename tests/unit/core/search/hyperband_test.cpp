#include "core/search/hyperband.h"

#include <gtest/gtest.h>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

std::string shapes(const HyperbandSearch& search) {  // "9x3": nine trials, three rungs
  std::string text;
  for (const AsyncHalvingSearch& bracket : hyperband_brackets(search)) {
    text += cat(text.empty() ? "" : " ", bracket.max_trials, 'x', bracket.num_rungs);
  }
  return text;
}

SearcherConfig config_of(const HyperbandSearch& search) {
  return {.metric = "loss", .smaller_is_better = true, .method = search};
}

// The paper's table for a maximum of 9 units and a divisor of 3.
TEST(Hyperband, HasThePapersBracketsAgainAndAgain) {
  EXPECT_EQ(shapes({.max_trials = 17, .max_time = 9}), "9x3 5x2 3x1");
  EXPECT_EQ(shapes({.max_trials = 40, .max_time = 9}), "9x3 5x2 3x1 9x3 5x2 3x1 6x3");
  EXPECT_EQ(shapes({.max_trials = 3, .max_rungs = 2, .max_time = 9}), "3x2");
}

class HyperbandRun : public testing::Test {
 protected:
  std::string report(SearchTrial trial, std::int64_t time, double metric) {
    return text_of(searcher_.validation_completed({trial, metric, time}));
  }

  Searcher searcher_{config_of({.max_trials = 17, .max_concurrent_trials = 3, .max_time = 9}),
                     small_space(), 0};
};

TEST_F(HyperbandRun, DecidesARungWhenAllHaveReachedIt) {
  EXPECT_EQ(text_of(searcher_.start()), "create 0, create 1, create 2");
  for (int trial = 0; trial < 6; ++trial) {
    EXPECT_EQ(report(trial, 1, .1 * trial), cat("pause ", trial, ", create ", trial + 3));
  }
  // Nobody idles meanwhile: the next bracket begins.
  EXPECT_EQ(report(6, 1, .6), "pause 6, create 9");
  EXPECT_EQ(report(7, 1, .7), "pause 7, create 10");
  EXPECT_EQ(report(8, 1, .8), "pause 8, resume 0");  // three of nine go on
}

TEST_F(HyperbandRun, GivesAPlaceToTheOlderBracketFirst) {
  (void)searcher_.start();
  for (int trial = 0; trial < 9; ++trial) report(trial, 1, .1 * trial);
  EXPECT_EQ(report(9, 3, .5), "pause 9, resume 1");
  EXPECT_EQ(report(10, 3, .5), "pause 10, resume 2");
}

TEST_F(HyperbandRun, EndsWhenEveryBracketIsDone) {
  std::vector<std::int64_t> trained(17, 0);
  std::vector<SearchTrial> running;
  bool over = false;
  const auto take = [&](const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      if (const auto* create = std::get_if<CreateTrial>(&operation))
        running.push_back(create->trial);
      if (const auto* one = std::get_if<ResumeTrial>(&operation)) running.push_back(one->trial);
      over = over || std::holds_alternative<Shutdown>(operation);
    }
  };
  take(searcher_.start());
  for (int i = 0; i < 200 && !running.empty(); ++i) {
    const SearchTrial trial = running.front();
    running.erase(running.begin());
    trained[static_cast<std::size_t>(trial)] += 1;
    take(searcher_.validation_completed(
        {trial, .01 * trial, trained[static_cast<std::size_t>(trial)]}));
    if (!searcher_.is_paused(trial) && !searcher_.is_stopped(trial)) running.push_back(trial);
    for (SearchTrial one = 0; one < searcher_.trials_requested(); ++one) {
      if (searcher_.is_stopped(one)) take(searcher_.trial_exited(one, ExitReason::completed));
    }
  }
  EXPECT_TRUE(over);
  EXPECT_EQ(std::count(trained.begin(), trained.end(), 9), 1 + 1 + 3) << "the best of each bracket";
}

}  // namespace
}  // namespace dt::core
