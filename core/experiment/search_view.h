// How far a search has come, from what is stored of it: works for searches that run and for those
// that are over. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/master/rows.h"
#include "core/model/config.h"
#include "core/search/method.h"

namespace dt::core {

struct SearchView {
  std::string searcher;  // its name
  std::string unit;      // of the rungs; empty: it has none
  std::vector<RungState> rungs;
  std::int64_t trials_wanted = 0;
};

// `events`: those after the snapshot, or more.
Result<SearchView> view_search(const ExperimentRow& experiment,
                               const std::optional<SearcherSnapshotRow>& snapshot,
                               const std::vector<SearcherEventRow>& events);

// What a trial's length is counted in: the time metric of the rungs, else the unit of
// searcher.max_length; empty when the configuration sets no length. `length`: of one trial.
struct TrialLength {
  std::string unit;
  std::int64_t length = 0;
};
TrialLength length_of(const ParsedConfig& config);

}  // namespace dt::core
