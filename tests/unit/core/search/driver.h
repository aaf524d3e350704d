// What the searcher tests share: configurations in a line, operations as text, spaces.
#pragma once

#include <string>

#include "base/overload.h"
#include "core/search/method.h"

namespace dt::core {

inline SearcherConfig random_of(int max_trials, int max_concurrent_trials) {
  return {.metric = "loss",
          .smaller_is_better = true,
          .method = RandomSearch{.max_trials = max_trials,
                                 .max_concurrent_trials = max_concurrent_trials}};
}

struct Halving {
  int rungs = 3;
  int max_trials = 5;
  double divisor = 3;
  int max_concurrent_trials = 2;
  std::int64_t max_time = 9;
  bool smaller_is_better = true;
  bool promote = false;
};

inline SearcherConfig halving_of(const Halving& halving) {
  return {.metric = "loss",
          .smaller_is_better = halving.smaller_is_better,
          .method = AsyncHalvingSearch{.num_rungs = halving.rungs,
                                       .max_trials = halving.max_trials,
                                       .divisor = halving.divisor,
                                       .max_concurrent_trials = halving.max_concurrent_trials,
                                       .max_time = halving.max_time,
                                       .promote = halving.promote}};
}

inline SearcherConfig grid_of(int max_concurrent_trials) {
  return {.metric = "loss",
          .smaller_is_better = true,
          .method = GridSearch{.max_concurrent_trials = max_concurrent_trials}};
}

// Constants, a grid axis, and a nested map: every method can search it.
inline HyperparameterSpace small_space() {
  HyperparameterSpace inner{{"rate", {DoubleParameter{0, 1, 3}}},
                            {"width", {IntParameter{1, 9, 2}}}};
  return {{"kind", {CategoricalParameter{{"a", "b"}}}},
          {"optimizer", {NestedParameter{inner}}},
          {"batch", {ConstParameter{64}}}};
}

inline HyperparameterSpace constants() { return {{"batch", {ConstParameter{64}}}}; }

// "create 0, stop 1, shutdown failure".
inline std::string text_of(const SearchOperations& operations) {
  std::string text;
  for (const SearchOperation& operation : operations) {
    if (!text.empty()) text += ", ";
    text += std::visit(Overload{
                           [](const CreateTrial& create) { return cat("create ", create.trial); },
                           [](const StopTrial& stop) { return cat("stop ", stop.trial); },
                           [](const PauseTrial& pause) { return cat("pause ", pause.trial); },
                           [](const ResumeTrial& resume) { return cat("resume ", resume.trial); },
                           [](const Shutdown& shutdown) {
                             return cat("shutdown", shutdown.cancel ? " cancel" : "",
                                        shutdown.failure ? " failure" : "");
                           },
                       },
                       operation);
  }
  return text;
}

}  // namespace dt::core
