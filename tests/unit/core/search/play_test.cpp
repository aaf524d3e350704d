// Plays of searches: what the production searcher does with made-up metrics.
#include "core/search/play.h"

#include <gtest/gtest.h>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

ExperimentConfig config_of(const SearcherConfig& searcher) {
  ExperimentConfig config;
  config.searcher = searcher;
  config.hyperparameters = small_space();
  config.seed = 7;
  return config;
}

// "62:16 250:5 1000:1": units and trials of each rung.
std::string rungs(const SearchPlay& play) {
  std::string text;
  for (const RungState& rung : play.rungs) {
    text += cat(text.empty() ? "" : " ", rung.units, ":", rung.trials);
  }
  return text;
}

TEST(Play, OfHalvingIsWhatTheSearcherDoes) {
  const ExperimentConfig config = config_of(halving_of({.rungs = 3,
                                                        .max_trials = 64,
                                                        .divisor = 4,
                                                        .max_concurrent_trials = 16,
                                                        .max_time = 1600}));
  const SearchPlay play = play_search(config, 1600);
  EXPECT_EQ(play.trials, 64);
  EXPECT_EQ(play.trials_played, 64);
  EXPECT_EQ(play.concurrent, 16);
  ASSERT_EQ(play.rungs.size(), 3u);
  EXPECT_EQ(play.rungs[0].trials, 64) << "every trial reaches the first rung";
  EXPECT_EQ(play.rungs[1].trials, play.rungs[0].continued);
  EXPECT_EQ(play.rungs[2].trials, play.rungs[1].continued);
  EXPECT_GE(play.rungs[1].trials, 16) << "at least 1/divisor go on";
  EXPECT_LT(play.rungs[1].trials, 32);
  EXPECT_EQ(play.units, 100 * play.rungs[0].stopped + 400 * play.rungs[1].stopped +
                            1600 * play.rungs[2].trials);
}

TEST(Play, IsTheSameForMetricsToMinimiseAndToMaximise) {
  Halving halving{.rungs = 4, .max_trials = 50, .divisor = 2, .max_time = 800};
  const SearchPlay smaller = play_search(config_of(halving_of(halving)), 800);
  halving.smaller_is_better = false;
  EXPECT_EQ(rungs(play_search(config_of(halving_of(halving)), 800)), rungs(smaller));
}

TEST(Play, TellsTheHyperparametersThatTheSearchWillDraw) {
  const ExperimentConfig config = config_of(random_of(40, 2));
  const SearchPlay play = play_search(config, 10);
  Searcher searcher(config.searcher, config.hyperparameters, config.seed);
  const SearchOperations first = searcher.start();
  ASSERT_EQ(play.first_hparams.size(), 16u);
  EXPECT_EQ(play.first_hparams[0], std::get<CreateTrial>(first[0]).hparams);
  EXPECT_EQ(play.first_hparams[1], std::get<CreateTrial>(first[1]).hparams);
}

TEST(Play, WithoutRungsMultipliesTheLength) {
  const SearchPlay random = play_search(config_of(random_of(40, 2)), 250);
  EXPECT_EQ(cat(random.trials, " ", random.units, " ", random.rungs.size()), "40 10000 0");
  const SearchPlay grid = play_search(config_of(grid_of(0)), 0);
  EXPECT_EQ(cat(grid.trials, " ", grid.units, " ", grid.first_hparams.size()), "12 0 12");
  const SearchPlay one = play_search(config_of({.metric = "loss", .method = SingleSearch{}}), 5);
  EXPECT_EQ(cat(one.trials, " ", one.units, " ", one.concurrent), "1 5 1");
}

TEST(Play, IsCutWhereItIsLong) {
  const ExperimentConfig config = config_of(halving_of(
      {.rungs = 2, .max_trials = 1000, .divisor = 4, .max_concurrent_trials = 0, .max_time = 8}));
  const SearchPlay play = play_search(config, 8, {.trials = 100});
  EXPECT_EQ(play.trials, 1000);
  EXPECT_EQ(play.trials_played, 100);
  EXPECT_EQ(play.rungs[0].trials, 100);
}

TEST(Play, SurvivesLengthsAtTheEndOfTheNumbers) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const ExperimentConfig config = config_of(halving_of(
      {.rungs = 3, .max_trials = 9, .divisor = 3, .max_concurrent_trials = 2, .max_time = most}));
  EXPECT_EQ(play_search(config, most).units, most);
  EXPECT_EQ(play_search(config_of(random_of(3, 1)), most).units, most);
}

}  // namespace
}  // namespace dt::core
