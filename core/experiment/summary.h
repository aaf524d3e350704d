// How an experiment that is over sums itself up: which of its trials gave it nothing, and why. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/master/rows.h"
#include "core/search/method.h"

namespace dt::core {

// Which limit ended the search, if one did: "the search has had its 3600 s
// (searcher.max_wall_time_s)".
std::string limit_text(SearchLimit limit, const SearcherConfig& searcher);

// "1 of 4 trials failed; trial 2: rank 0 exited with 3"; of a search that found nothing "no trial
// gave a valid metric: 3 of 4 trials failed, 1 had invalid hyperparameters; trial 2: rank 0 exited
// with 3". Empty: nothing is worth a word. A message that the experiment has already leads.
std::string summary_of(const ExperimentRow& experiment, const SearcherConfig& searcher,
                       const std::vector<const TrialRow*>& trials);

}  // namespace dt::core
