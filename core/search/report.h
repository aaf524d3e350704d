// Reads what a searcher needs out of a validation report: the searcher metric and, for methods with
// rungs, the time metric. A metric that is missing or no number is an error that lists what was
// reported. NaN and the infinities are metrics, as doubles or as protocol 1's strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/search/method.h"

namespace dt::core {

// What rungs count by; none for methods without.
std::optional<std::string> time_metric_of(const SearcherConfig& config);

// `metrics` is the map of names to values; `step` is the report's own and stands in for the time
// metric `batches` where the program reports none.
Result<ValidationReport> report_of(const SearcherConfig& config, SearchTrial trial,
                                   const Value& metrics, std::optional<std::int64_t> step);

}  // namespace dt::core
