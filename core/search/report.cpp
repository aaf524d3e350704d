#include "core/search/report.h"

#include <cmath>
#include <limits>

namespace dt::core {

namespace {

std::optional<double> number_in(const Value& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.as_double();
  if (value == Value("NaN")) return std::numeric_limits<double>::quiet_NaN();
  if (value == Value("Infinity")) return infinity;
  if (value == Value("-Infinity")) return -infinity;
  return std::nullopt;
}

std::string names_in(const Value& metrics) {
  std::string names;
  if (metrics.is_object()) {
    for (const auto& [name, value] : metrics.as_object()) {
      names += names.empty() ? name : ", " + name;
    }
  }
  return names.empty() ? "nothing" : names;
}

Status unusable(const char* role, const std::string& key, const std::string& name,
                const Value& metrics) {
  const Value* value = metrics.find(name);
  const bool missing = value == nullptr || value->is_null();
  const std::string what = missing ? "is missing from the validation report"
                                   : cat("is not a number but a ", value->type_name());
  return invalid_argument(role, " '", name, "' ", what)
      .with_detail({.subject = name,
                    .value = value != nullptr && value->is_string() ? value->as_string() : "",
                    .hint = cat("reported: ", names_in(metrics), "; set ", key, " to one of them"),
                    .path = key});
}

}  // namespace

Result<ValidationReport> report_of(const SearcherConfig& config, SearchTrial trial,
                                   const Value& metrics, std::optional<std::int64_t> step) {
  ValidationReport report{.trial = trial, .metric = 0, .time = step.value_or(0)};
  const std::optional<double> metric = number_in(metrics[config.metric]);
  if (!metric) return unusable("searcher metric", "searcher.metric", config.metric, metrics);
  report.metric = *metric;

  const auto* halving = std::get_if<AsyncHalvingSearch>(&config.method);
  if (halving == nullptr) return report;
  const std::string& name = halving->time_metric;
  if (name == "batches" && step && metrics[name].is_null()) return report;
  const std::optional<double> time = number_in(metrics[name]);
  if (!time || !(std::abs(*time) < 0x1p63)) {
    return unusable("searcher time metric", "searcher.time_metric", name, metrics);
  }
  report.time = static_cast<std::int64_t>(*time);
  return report;
}

}  // namespace dt::core
