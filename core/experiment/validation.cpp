#include "core/experiment/validation.h"

#include <cmath>

#include "base/cat.h"
#include "base/number.h"
#include "core/search/report.h"

namespace dt::core {
namespace {

constexpr const char* metric_words = "searcher metric \"";
constexpr const char* time_metric_words = "searcher time metric \"";

std::string type_of(const Value& value) {
  if (value.is_string()) return "text";
  return value["type"].is_string() ? value["type"].as_string() : value.type_name();
}

std::string names_in(const Value& values) {
  std::string names;
  if (values.is_object()) {
    for (const auto& [name, value] : values.as_object()) {
      names += cat(names.empty() ? "" : ", ", name);
    }
  }
  return names.empty() ? "nothing" : names;
}

std::string problem_of(const char* words, const std::string& name, const Value& values) {
  const Value& value = values[name];
  const std::string what = value.is_null()
                               ? "was never reported"
                               : cat("was reported as ", type_of(value), ", but must be a number");
  return cat(words, name, "\" ", what, "; reported: ", names_in(values));
}

// The metric that keeps the report from being judged.
std::string problem_of(const SearcherConfig& config, const Value& values) {
  if (!number_of(values[config.metric])) return problem_of(metric_words, config.metric, values);
  return problem_of(time_metric_words, time_metric_of(config).value_or("batches"), values);
}

}  // namespace

Validation read_validation(const SearcherConfig& config, SearchTrial trial, const Value& body) {
  Validation read;
  std::optional<std::int64_t> step;
  if (body["step"].is_int()) step = body["step"].as_int();
  read.step = step.value_or(0);
  const Result<ValidationReport> report = report_of(config, trial, body["values"], step);
  if (report.ok()) {
    read.report = *report;
  } else {
    read.problem = problem_of(config, body["values"]);
  }
  return read;
}

bool is_metric_problem(const std::string& message) {
  return message.starts_with(metric_words) || message.starts_with(time_metric_words);
}

std::string never_reported(const SearcherConfig& config) {
  return problem_of(metric_words, config.metric, Value());
}

bool is_better(const SearcherConfig& config, double value, const std::optional<double>& best) {
  if (std::isnan(value)) return false;
  if (!best) return true;
  return config.smaller_is_better ? value < *best : value > *best;
}

}  // namespace dt::core
