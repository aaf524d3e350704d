// Model-based search without early stopping: as random search (random.h), with points proposed by
// the tree-structured Parzen estimator (tpe_sampler.h) from the last value that each trial
// reported.
#pragma once

#include "core/search/random.h"

namespace dt::core {

class TpeMethod : public RandomMethod {
 public:
  TpeMethod(const TpeSearch& search, const SearcherConfig& config,
            const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;

 private:
  bool smaller_is_better_;
};

}  // namespace dt::core
