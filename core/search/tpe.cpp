#include "core/search/tpe.h"

#include "core/search/rungs.h"

namespace dt::core {

TpeMethod::TpeMethod(const TpeSearch& search, const SearcherConfig& config,
                     const HyperparameterSpace& space, std::uint32_t seed)
    : RandomMethod(
          {.max_trials = search.max_trials, .max_concurrent_trials = search.max_concurrent_trials},
          TrialMaker(space, seed, SamplerKind::tpe)),
      smaller_is_better_(config.smaller_is_better) {
  for (const Observation& earlier : config.observations) {
    maker_.learn(earlier.hparams, judged_metric(earlier.metric, smaller_is_better_));
  }
}

SearchOperations TpeMethod::validation_completed(const ValidationReport& report) {
  maker_.observe(report.trial, 0, judged_metric(report.metric, smaller_is_better_));
  return {};
}

SearchOperations TpeMethod::trial_exited_early(SearchTrial trial, ExitReason reason) {
  if (reason != ExitReason::completed) maker_.fail(trial);
  return RandomMethod::trial_exited_early(trial, reason);
}

}  // namespace dt::core
