// Plays a search through before it runs: the production searcher hears made-up metrics, so what it
// would do is what it does here. Trial n is as good as the n-th number of a sequence that fills the
// range evenly, so each rung sees good and bad values in turn, and the same play comes every time.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/method.h"

namespace dt::core {

struct PlayLimits {
  std::int64_t trials = 10'000;    // so many at most are played, if rungs make it worth while
  std::size_t first_hparams = 16;  // so many are told
};

struct SearchPlay {
  std::int64_t trials = 0;         // that the search makes in all
  std::int64_t trials_played = 0;  // of which the next two are
  std::vector<RungState> rungs;
  std::int64_t units = 0;  // of the time metric, of all trials together; saturates
  int concurrent = 0;      // trials that go at a time, while there are slots
  std::vector<Value> first_hparams;
};

// `length`: units that a trial trains when the searcher sets no end; 0: not known.
SearchPlay play_search(const ExperimentConfig& config, std::int64_t length,
                       const PlayLimits& limits = {});

}  // namespace dt::core
