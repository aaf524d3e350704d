// Whether the first rung of a bracket tells anything: trials that trained on to the next rung
// whatever their value on the first was are compared with each other on both. Where too many pairs
// change places, the first rung is doubted (docs/decisions/0027-doubted-rungs.md). One thread.
#pragma once

#include <utility>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::core {

class RungEvidence {
 public:
  void add(double first, double next);  // a trial's metrics; beyond most_trials nothing is added
  bool doubts_first() const;

  Value snapshot() const;  // [[first, next], …]
  Status restore(const Value& snapshot);

  static constexpr std::size_t least_trials = 12;  // before that nothing is doubted
  static constexpr std::size_t most_trials = 32;

 private:
  std::vector<std::pair<double, double>> trials_;
  int compared_ = 0;  // pairs of trials
  int alike_ = 0;     // of those: in the same order on both
};

}  // namespace dt::core
