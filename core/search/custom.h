// A custom search: a program outside says which trials to make, stop, pause and resume, and when it
// has enough. It waits for that program as long as it takes; what it is told are events of the
// search like all others, so a restart repeats them.
#pragma once

#include "core/search/method.h"
#include "core/search/sampler.h"

namespace dt::core {

class CustomMethod : public SearchMethod {
 public:
  CustomMethod(const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations initial_trials() override { return {}; }
  SearchOperations validation_completed(const ValidationReport&) override { return {}; }
  SearchOperations trial_exited_early(SearchTrial, ExitReason) override { return {}; }
  SearchOperations trial_exited(SearchTrial) override { return {}; }
  Result<SearchOperations> proposed(const Proposal& proposal) override;
  bool waits_for_proposals() const override { return !finished_; }
  double progress(double trials_done) const override;
  std::int64_t trials_wanted() const override { return maker_.created(); }
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  TrialMaker maker_;
  bool finished_ = false;
};

}  // namespace dt::core
