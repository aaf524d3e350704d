#include "core/search/report.h"

#include <cmath>

#include "base/number.h"

namespace dt::core {

namespace {

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

template <class Method>
std::optional<std::string> time_metric_in(const Method& method) {
  if constexpr (requires { method.time_metric; }) return method.time_metric;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> time_metric_of(const SearcherConfig& config) {
  return std::visit([](const auto& method) { return time_metric_in(method); }, config.method);
}

Result<ValidationReport> report_of(const SearcherConfig& config, SearchTrial trial,
                                   const Value& metrics, std::optional<std::int64_t> step) {
  ValidationReport report{.trial = trial, .metric = 0, .time = step.value_or(0)};
  const std::optional<double> metric = number_of(metrics[config.metric]);
  if (!metric) return unusable("searcher metric", "searcher.metric", config.metric, metrics);
  report.metric = *metric;

  const std::optional<std::string> time_metric = time_metric_of(config);
  if (!time_metric) return report;
  const std::string& name = *time_metric;
  if (name == "batches" && step && metrics[name].is_null()) return report;
  const std::optional<double> time = number_of(metrics[name]);
  if (!time || !(std::abs(*time) < 0x1p63)) {
    return unusable("searcher time metric", "searcher.time_metric", name, metrics);
  }
  report.time = static_cast<std::int64_t>(*time);
  return report;
}

}  // namespace dt::core
