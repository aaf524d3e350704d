#include "core/search/tpe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/search/parzen.h"
#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

HyperparameterSpace curved_space() {
  return {{"rate", {LogParameter{10, -4, 0, {}}}},
          {"width", {IntParameter{1, 65, {}}}},
          {"kind", {CategoricalParameter{{"a", "b", "c"}}}},
          {"inner", {NestedParameter{{{"x", {DoubleParameter{-1, 1, {}}}}}}}}};
}

// Least at rate 0.01, width 32, kind b, x 0.3.
double loss_of(const Value& hparams) {
  const double rate = std::log10(hparams["rate"].as_double()) + 2;
  const double width = (hparams["width"].as_double() - 32) / 32;
  const double x = hparams["inner"]["x"].as_double() - 0.3;
  return rate * rate + width * width + x * x + (hparams["kind"] == Value("b") ? 0 : 0.5);
}

SearcherConfig tpe_of(int trials, int concurrent) {
  return {.metric = "loss",
          .smaller_is_better = true,
          .method = TpeSearch{.max_trials = trials, .max_concurrent_trials = concurrent}};
}

double best_of(const SearcherConfig& config, std::uint32_t seed) {
  Searcher searcher(config, curved_space(), seed);
  std::vector<CreateTrial> going;
  double best = 1e9;
  const auto take = [&](const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      if (const auto* create = std::get_if<CreateTrial>(&operation)) going.push_back(*create);
    }
  };
  take(searcher.start());
  while (!going.empty()) {
    const CreateTrial trial = going.front();
    going.erase(going.begin());
    best = std::min(best, loss_of(trial.hparams));
    take(searcher.validation_completed({trial.trial, loss_of(trial.hparams), 1}));
    take(searcher.trial_exited(trial.trial, ExitReason::completed));
  }
  return best;
}

TEST(Tpe, FindsBetterPointsThanChance) {
  double tpe = 0, chance = 0;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    tpe += best_of(tpe_of(80, 4), seed);
    chance += best_of(random_of(80, 4), seed);
  }
  EXPECT_LT(tpe, 0.4 * chance);
}

TEST(Tpe, ProposesPointsOfTheSpaceOnly) {
  Searcher searcher(tpe_of(200, 1), curved_space(), 5);
  SearchOperations operations = searcher.start();
  for (int trial = 0; trial < 199; ++trial) {
    const auto& create = std::get<CreateTrial>(operations.front());
    EXPECT_TRUE(create.hparams["width"].as_int() >= 1 && create.hparams["width"].as_int() < 65);
    EXPECT_TRUE(std::abs(create.hparams["inner"]["x"].as_double()) <= 1);
    const double rate = create.hparams["rate"].as_double();
    EXPECT_TRUE(rate >= 1e-4 * 0.999 && rate <= 1.001) << rate;
    (void)searcher.validation_completed({trial, loss_of(create.hparams), 1});
    operations = searcher.trial_exited(trial, ExitReason::completed);
  }
}

TEST(Tpe, ProposesDifferentPointsToParallelTrials) {
  Searcher searcher(tpe_of(40, 8), curved_space(), 1);
  std::vector<CreateTrial> all;
  const auto take = [&](const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      if (const auto* create = std::get_if<CreateTrial>(&operation)) all.push_back(*create);
    }
  };
  take(searcher.start());
  for (int trial = 0; trial < 32; ++trial) {
    take(searcher.validation_completed(
        {trial, loss_of(all[static_cast<std::size_t>(trial)].hparams), 1}));
    take(searcher.trial_exited(trial, ExitReason::completed));
  }
  for (std::size_t i = 32; i < all.size(); ++i) {
    for (std::size_t j = 32; j < i; ++j) EXPECT_NE(all[i].hparams, all[j].hparams);
  }
}

TEST(Tpe, BeginsWithWhatEarlierSearchesFound) {
  SearcherConfig config = tpe_of(10, 1);
  double cold = 0, warm = 0;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    cold += best_of(tpe_of(10, 1), seed);
    config.observations.clear();
    Searcher earlier(random_of(60, 60), curved_space(), 100 + seed);
    for (const SearchOperation& operation : earlier.start()) {
      const Value& hparams = std::get<CreateTrial>(operation).hparams;
      config.observations.push_back({.hparams = hparams, .metric = loss_of(hparams)});
    }
    warm += best_of(config, seed);
  }
  EXPECT_LT(warm, 0.5 * cold);
}

TEST(Tpe, LearnsNothingFromAPointOfAnotherSpace) {
  SearcherConfig config = tpe_of(3, 1);
  for (int i = 0; i < 20; ++i) {
    config.observations.push_back({.hparams = Value::Object{{"x", 1}}, .metric = 0.5});
  }
  Searcher with(config, curved_space(), 3), without(tpe_of(3, 1), curved_space(), 3);
  EXPECT_EQ(with.start(), without.start());
}

TEST(Tpe, KeepsWhatItLearnedAcrossASnapshot) {
  SearcherConfig config = tpe_of(40, 1);
  for (const double x : {-0.5, 0.1, 0.3, 0.6, 0.9, -0.9, -0.1, 0.2, 0.4, 0.5, 0.7, 0.8}) {
    const Value hparams = Value::Object{
        {"rate", 0.01}, {"width", 32}, {"kind", "b"}, {"inner", Value::Object{{"x", x}}}};
    config.observations.push_back({.hparams = hparams, .metric = loss_of(hparams)});
  }
  Searcher steady(config, curved_space(), 3), restarted(config, curved_space(), 99);
  (void)steady.start();
  ASSERT_TRUE(restarted.restore(steady.snapshot()).ok());
  EXPECT_EQ(restarted.trial_exited(0, ExitReason::completed),
            steady.trial_exited(0, ExitReason::completed));
}

TEST(Tpe, KeepsAwayFromWhereTrialsCrash) {
  Searcher searcher(tpe_of(120, 1), {{"x", {DoubleParameter{0, 1, {}}}}}, 2);
  SearchOperations operations = searcher.start();
  int late_crashes = 0;
  for (int trial = 0; trial < 119; ++trial) {
    const double x = std::get<CreateTrial>(operations.front()).hparams["x"].as_double();
    const bool crashes = x < 0.5;
    late_crashes += crashes && trial >= 60;
    if (!crashes) (void)searcher.validation_completed({trial, x, 1});
    operations =
        searcher.trial_exited(trial, crashes ? ExitReason::errored : ExitReason::completed);
  }
  EXPECT_LT(late_crashes, 30) << "of 60; the best values lie right beside the crashes";
}

// The density is one: its integral over the axis.
TEST(Parzen, IntegratesToOne) {
  const std::vector<ParzenAxis> axes{{.low = -2, .high = 3}};
  const std::vector<double> a{-2}, b{0.5}, c{2.9};
  const Parzen parzen(axes, {&a, &b, &c});
  double sum = 0;
  constexpr int steps = 20'000;
  for (int i = 0; i < steps; ++i) {
    sum += std::exp(parzen.log_density({-2 + 5 * (i + 0.5) / steps})) * 5 / steps;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(Parzen, SharesOneOverTheChoicesOut) {
  const std::vector<ParzenAxis> axes{{.choices = 3}};
  const std::vector<double> a{1}, b{2};
  const Parzen parzen(axes, {&a, &b});
  double sum = 0;
  for (const double choice : {0., 1., 2.}) sum += std::exp(parzen.log_density({choice}));
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(parzen.log_density({1}), parzen.log_density({0}));
}

TEST(Parzen, DrawsAsItsDensitySays) {
  const std::vector<ParzenAxis> axes{{.low = 0, .high = 1}};
  const std::vector<double> a{0.2};
  const Parzen parzen(axes, {&a});
  NumpyRandom random(1);
  double below = 0, expected = 0;
  constexpr int draws = 20'000;
  for (int i = 0; i < draws; ++i) below += parzen.draw(random)[0] < 0.3;
  for (int i = 0; i < 3000; ++i)
    expected += std::exp(parzen.log_density({(i + 0.5) / 10'000})) / 1e4;
  EXPECT_NEAR(below / draws, expected, 0.02);
}

}  // namespace
}  // namespace dt::core
