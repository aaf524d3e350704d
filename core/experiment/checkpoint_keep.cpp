#include "core/experiment/checkpoint_keep.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dt::core {
namespace {

using Facts = std::vector<const CheckpointFact*>;

void keep_first(const Facts& facts, int count, std::set<CheckpointId>& kept) {
  for (const CheckpointFact* fact : facts) {
    if (count-- <= 0) return;
    kept.insert(fact->id);
  }
}

Facts best_first(Facts facts, bool smaller_is_better) {
  std::erase_if(
      facts, [](const CheckpointFact* fact) { return !fact->metric || std::isnan(*fact->metric); });
  std::stable_sort(facts.begin(), facts.end(),
                   [&](const CheckpointFact* a, const CheckpointFact* b) {
                     return smaller_is_better ? *a->metric < *b->metric : *a->metric > *b->metric;
                   });
  return facts;
}

}  // namespace

std::set<CheckpointId> kept_checkpoints(const std::vector<CheckpointFact>& facts,
                                        const CheckpointStorageConfig& policy,
                                        bool smaller_is_better) {
  std::set<CheckpointId> kept;
  Facts all;
  std::map<TrialId, Facts> trials;
  for (const CheckpointFact& fact : facts) {
    all.push_back(&fact);
    trials[fact.trial].push_back(&fact);
  }
  keep_first(best_first(all, smaller_is_better), policy.save_experiment_best, kept);
  for (auto& [trial, own] : trials) {
    keep_first(best_first(own, smaller_is_better), policy.save_trial_best, kept);
    std::reverse(own.begin(), own.end());
    keep_first(own, policy.save_trial_latest, kept);
  }
  return kept;
}

}  // namespace dt::core
