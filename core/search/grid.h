// Grid search: every point of the cartesian product once, the last point first (Determined's
// order). Axes go by sorted key, nested maps depth first, the first axis slowest. Points are
// computed from their number, so a large grid costs no memory. Invalid points are not replaced.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/method.h"
#include "core/search/sampler.h"

namespace dt::core {

class GridSpace {
 public:
  explicit GridSpace(HyperparameterSpace space);

  std::int64_t size() const { return size_; }  // at most 2^62
  Value point(std::int64_t number) const;      // 0 .. size() - 1

 private:
  HyperparameterSpace space_;
  std::vector<std::int64_t> axis_sizes_;  // one a leaf of the space, constants too
  std::int64_t size_ = 1;
};

class GridMethod : public SearchMethod {
 public:
  GridMethod(const GridSearch& search, const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  std::int64_t trials_wanted() const override { return grid_.size(); }
  double progress(double trials_done) const override;
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  CreateTrial next();

  GridSearch search_;
  GridSpace grid_;
  TrialMaker maker_;
};

}  // namespace dt::core
