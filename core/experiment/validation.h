// What a validation record says to the search. A report that lacks the searcher metric (or the time
// metric of a search with rungs) cannot be judged; the problem is told in the words that stay on
// the trial, with the names that were reported. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/search/method.h"

namespace dt::core {

struct Validation {
  std::int64_t step = 0;
  ValidationReport report;
  std::string problem;  // not empty: there is no report
};

Validation read_validation(const SearcherConfig& config, SearchTrial trial, const Value& body);

// Is this message of a trial one of read_validation()'s problems?
bool is_metric_problem(const std::string& message);

// "searcher metric "x" was never reported; reported: nothing": of a trial without any validation.
std::string never_reported(const SearcherConfig& config);

// Whether `value` beats `best` for this search; nothing beats and NaN never does.
bool is_better(const SearcherConfig& config, double value, const std::optional<double>& best);

}  // namespace dt::core
