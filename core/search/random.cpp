#include "core/search/random.h"

#include <algorithm>

#include "core/search/snapshot.h"

namespace dt::core {

RandomMethod::RandomMethod(const RandomSearch& search, TrialMaker maker)
    : maker_(std::move(maker)), search_(search) {}

SearchOperations RandomMethod::initial_trials() {
  int trials = search_.max_trials;
  if (search_.max_concurrent_trials > 0) trials = std::min(trials, search_.max_concurrent_trials);
  SearchOperations operations;
  for (int i = 0; i < trials; ++i) operations.push_back(maker_.sampled());
  return operations;
}

SearchOperations RandomMethod::validation_completed(const ValidationReport&) { return {}; }

SearchOperations RandomMethod::trial_exited_early(SearchTrial, ExitReason reason) {
  // In a space of constants the replacement would be the same trial, invalid again, for ever.
  if (reason == ExitReason::invalid_hp && maker_.can_vary()) ++invalid_;
  return {};
}

SearchOperations RandomMethod::trial_exited(SearchTrial) {
  if (maker_.created() - invalid_ >= search_.max_trials) return {};
  return {maker_.sampled()};
}

double RandomMethod::progress(double trials_done) const {
  // An invalid trial is over, so it stands in the sum as 1, but its replacement has to run too.
  return std::clamp((trials_done - invalid_) / search_.max_trials, 0.0, 1.0);
}

Value RandomMethod::snapshot() const {
  return Value::Object{{"invalid", invalid_}, {"maker", maker_.snapshot()}};
}

Status RandomMethod::restore(const Value& snapshot) {
  const int invalid = TRY(snapshot_int(snapshot, "invalid"));
  TRY(maker_.restore(snapshot["maker"]));
  invalid_ = invalid;
  return {};
}

}  // namespace dt::core
