// ASHA by the stop rule (rungs.h): trials start at once, weak ones are stopped at a rung, and each
// trial that ends makes room for one new sample until max_trials valid trials were made. Trials
// going at a time never exceed the initial number. A trial with invalid hyperparameters leaves the
// rungs and is replaced; a crash counts as the worst value.
#pragma once

#include "core/search/method.h"
#include "core/search/rungs.h"
#include "core/search/sampler.h"

namespace dt::core {

class AsyncHalvingMethod : public SearchMethod {
 public:
  AsyncHalvingMethod(const AsyncHalvingSearch& search, bool smaller_is_better,
                     const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  double progress(const std::vector<double>& trial_progress) const override;
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  // open: may train · stopped: told to, or over · ended: told its end itself
  enum class Phase { open, stopped, ended };

  Phase& phase(SearchTrial trial);
  void leave(SearchTrial trial, Phase now);
  CreateTrial create();
  void replace(SearchOperations& operations);
  int concurrent_trials() const;

  AsyncHalvingSearch search_;
  bool smaller_is_better_;
  TrialMaker maker_;
  RungLadder ladder_;
  std::vector<Phase> phases_;  // by trial
  int open_ = 0;
  int exited_ = 0;
  int invalid_ = 0;
};

}  // namespace dt::core
