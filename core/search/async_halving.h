// async_halving and adaptive_asha: one bracket or several (bracket.h), from one stream of samples.
// An event goes to the bracket that asked for the trial; progress is the mean over the brackets.
// With the sampler tpe, samples are drawn where trials went far and well.
#pragma once

#include "core/search/bracket_trials.h"

namespace dt::core {

class AsyncHalvingMethod : public SearchMethod {
 public:
  AsyncHalvingMethod(const std::vector<AsyncHalvingSearch>& brackets, bool smaller_is_better,
                     TrialMaker maker);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  std::vector<RungState> rungs() const override;
  std::int64_t trials_wanted() const override { return trials_wanted_; }
  double progress(double trials_done) const override;
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  struct Ladder {
    std::unique_ptr<Bracket> bracket;
    std::vector<std::int64_t> units;
  };

  bool smaller_is_better_;
  TrialMaker maker_;
  std::vector<Ladder> ladders_;
  BracketTrials trials_;
  std::int64_t trials_wanted_ = 0;
};

}  // namespace dt::core
