#include "core/search/adaptive_asha.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/search/preview.h"
#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

AdaptiveAshaSearch nine_trials() {
  return {.max_trials = 9, .divisor = 3, .max_concurrent_trials = 3, .max_time = 90};
}

SearcherConfig config_of(const AdaptiveAshaSearch& search) {
  return {.metric = "loss", .smaller_is_better = true, .method = search};
}

TEST(AdaptiveAsha, SendsEachEventToTheBracketThatAskedForTheTrial) {
  Searcher searcher(config_of(nine_trials()), small_space(), 0);
  // Brackets of rungs 10, 30, 90 (two at a time) and 30, 90 (one).
  EXPECT_EQ(text_of(searcher.start()), "create 0, create 1, create 2");
  EXPECT_EQ(text_of(searcher.validation_completed({0, .5, 10})), "");
  EXPECT_EQ(text_of(searcher.validation_completed({1, .6, 10})), "stop 1, create 3");
  EXPECT_EQ(text_of(searcher.validation_completed({2, .9, 10})), "");
  EXPECT_EQ(text_of(searcher.validation_completed({2, .9, 30})), "");  // the first of its rung
}

TEST(AdaptiveAsha, DrawsAllBracketsFromOneStream) {
  AdaptiveAshaSearch together = nine_trials();
  AsyncHalvingSearch alone{
      .num_rungs = 2, .max_trials = 9, .max_concurrent_trials = 3, .max_time = 90};
  Searcher adaptive(config_of(together), small_space(), 7);
  Searcher halving({.metric = "loss", .method = alone}, small_space(), 7);
  EXPECT_EQ(adaptive.start(), halving.start());
}

TEST(AdaptiveAsha, PausesAndPromotesWithinEachBracket) {
  AdaptiveAshaSearch search = nine_trials();
  search.promote = true;
  Searcher searcher(config_of(search), small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.validation_completed({0, .5, 10})), "pause 0, create 3");
}

TEST(AdaptiveAsha, SortsExplicitBracketsAndKeepsTheLimitOfTrials) {
  AdaptiveAshaSearch search = nine_trials();
  search.bracket_rungs = {1, 3, 2};
  search.max_trials = 4;
  int trials = 0;
  std::vector<int> rungs;
  for (const AsyncHalvingSearch& bracket : adaptive_brackets(search)) {
    trials += bracket.max_trials;
    rungs.push_back(bracket.num_rungs);
  }
  EXPECT_EQ(rungs, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(trials, 4);
  search.max_trials = 2;
  EXPECT_EQ(adaptive_brackets(search).size(), 2u);
}

TEST(AdaptiveAsha, PreviewsAllBracketsTogether) {
  using Lines = std::vector<PreviewLine>;
  const AdaptiveAshaSearch search{.mode = AdaptiveAshaSearch::Mode::conservative,
                                  .max_trials = 16,
                                  .divisor = 4,
                                  .max_time = 1000};
  EXPECT_EQ(preview_search(config_of(search), {}), (Lines{{9, 62}, {4, 250}, {3, 1000}}));
}

}  // namespace
}  // namespace dt::core
