// searcher.warm_start: the trials of earlier experiments become observations of a new search, at
// its submit, so that the search stays a function of its own configuration.
#pragma once

#include "core/model/config.h"
#include "master/store/store.h"

namespace dt::master {

inline constexpr std::size_t observations_max = 1000;  // of all experiments named

// Fills in searcher.observations, and warns of what is of no use.
Status add_observations(Store& store, core::ParsedConfig& parsed);

}  // namespace dt::master
