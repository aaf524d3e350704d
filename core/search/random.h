// Random search, and single search, which is a random search of one trial: keep up to
// max_concurrent_trials trials going until max_trials valid ones were made. A trial with invalid
// hyperparameters is not counted and is replaced when it exits.
#pragma once

#include "core/search/method.h"
#include "core/search/sampler.h"

namespace dt::core {

class RandomMethod : public SearchMethod {
 public:
  RandomMethod(const RandomSearch& search, TrialMaker maker);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  std::int64_t trials_wanted() const override { return search_.max_trials; }
  double progress(double trials_done) const override;
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 protected:
  TrialMaker maker_;

 private:
  RandomSearch search_;
  int invalid_ = 0;
};

}  // namespace dt::core
