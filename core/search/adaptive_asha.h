// adaptive_asha: Determined's rules for the brackets of one search. Each bracket is an asynchronous
// halving of its own; those with many rungs stop early and are given most of the trials, those with
// few protect against metrics that tell little at the start. The numbers are Determined's, bit for
// bit (docs/decisions/0016-brackets.md). Pure.
#pragma once

#include <vector>

#include "core/model/config.h"

namespace dt::core {

// floor(log(value) / log(base)) in doubles, which may fall just below a whole power (3^5 gives 4).
int floor_log(double value, double base);

// In proportion to divisor^(rungs - 1) / rungs; what is left over goes to the first bracket.
std::vector<int> bracket_trials(int max_trials, double divisor, const std::vector<int>& rungs);

// How many trials of each bracket go at a time; 0 of max_concurrent_trials: no limit was set.
std::vector<int> bracket_concurrency(int max_concurrent_trials, double divisor,
                                     const std::vector<int>& trials);

// Most rungs first.
std::vector<AsyncHalvingSearch> adaptive_brackets(const AdaptiveAshaSearch& search);

}  // namespace dt::core
