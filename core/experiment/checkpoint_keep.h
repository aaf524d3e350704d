// Which checkpoints of an ended experiment stay: the best of the experiment, the best of each trial
// and the latest of each trial, as many as `checkpoint_storage` says. One without a metric is never
// among the best. Pure.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "base/id.h"
#include "core/model/config.h"

namespace dt::core {

struct CheckpointFact {
  CheckpointId id;
  TrialId trial;
  std::optional<double> metric;  // the searcher's, at the checkpoint's step; NaN counts as none
};

// `facts` in the order in which they were reported; of equal metrics the earlier is better.
std::set<CheckpointId> kept_checkpoints(const std::vector<CheckpointFact>& facts,
                                        const CheckpointStorageConfig& policy,
                                        bool smaller_is_better);

}  // namespace dt::core
