// Random search, and single search, which is a random search of one trial: keep up to
// max_concurrent_trials trials going until max_trials valid ones were made. A trial with invalid
// hyperparameters is not counted and is replaced when it exits.
#pragma once

#include "core/search/method.h"
#include "core/search/sampler.h"

namespace dt::core {

class RandomMethod : public SearchMethod {
 public:
  RandomMethod(const RandomSearch& search, const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  double progress(const std::vector<double>& trial_progress) const override;
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  RandomSearch search_;
  TrialMaker maker_;
  int invalid_ = 0;
};

}  // namespace dt::core
