// One experiment in the master's memory: its row, its parsed configuration, its search, and the
// trials that the search asked for. Plain data; core/master composes it.
#pragma once

#include <deque>
#include <map>

#include "core/experiment/search_log.h"
#include "core/master/rows.h"
#include "core/model/config.h"

namespace dt::core {

struct Experiment {
  ExperimentRow row;
  ExperimentConfig config;
  SearchLog search;
  std::map<SearchTrial, TrialId> trials;  // by the searcher's number
  std::deque<SearchOperation> todo;       // said by the search, not yet done; empty between steps
  bool doing = false;
};

}  // namespace dt::core
