#include "core/model/config_schema.h"
#include "core/model/limits.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Field;
using schema::Fields;
using schema::Findings;

constexpr const char* later = "is not in this release";
constexpr const char* ended = "was ended by Determined";

Field required(const std::string& key, Check check, const std::string& hint) {
  return Field{.key = key, .check = std::move(check), .required = hint};
}

Value refuse_promotion(const Value& value, const std::string& path, Findings& findings) {
  const std::size_t errors_before = findings.errors.size();
  schema::boolean()(value, path, findings);
  if (findings.errors.size() == errors_before && value.as_bool()) {
    findings.error(path, value, "pause-and-promote is not in this release",
                   "leave it out; async_halving then stops trials instead");
  }
  return value;
}

// A search that silently started from nothing would be a wrong answer, so this is no warning.
Value refuse_warm_start(const Value& value, const std::string& path, Findings& findings) {
  findings.error(path, value, "starting from another trial's checkpoint is not in this release",
                 "leave it out");
  return value;
}

// How long a trial trains is up to the training code, which finds this in DT_CONFIG.
Value max_length(const Value& value, const std::string& path, Findings& findings) {
  if (value.is_number()) return schema::integer(1)(value, path, findings);
  return length_schema(1)(value, path, findings);
}

// `own` and what every searcher has.
Fields with_common(Fields own) {
  Fields fields = {
      required("metric", schema::filled_text(),
               "name the validation metric to compare trials by, as in metric: validation_loss"),
      {.key = "smaller_is_better", .check = schema::boolean(), .fallback = Value(true)},
      {.key = "promote", .check = refuse_promotion},
      {.key = "source_trial_id", .check = refuse_warm_start},
      {.key = "source_checkpoint_uuid", .check = refuse_warm_start},
      {.key = "max_length", .check = max_length},
  };
  fields.insert(fields.end(), own.begin(), own.end());
  return fields;
}

Field max_trials() {
  return required("max_trials", schema::integer(1, max_trials_limit),
                  "add the number of trials, as in max_trials: 16");
}

Field max_concurrent_trials() {
  return {.key = "max_concurrent_trials",
          .check = schema::integer(0, max_trials_limit),
          .fallback = Value(16)};
}

Fields async_halving_fields() {
  return {
      max_trials(),
      max_concurrent_trials(),
      required("num_rungs", schema::integer(1, max_rungs_limit),
               "add how often a trial may be stopped, as in num_rungs: 3"),
      required("max_time", schema::integer(1),
               "add the time metric's value at which a trial is done, as in max_time: 1000"),
      {.key = "time_metric", .check = schema::filled_text(), .fallback = Value("batches")},
      {.key = "divisor", .check = schema::number_above(1), .fallback = Value(4)},
      {.key = "stop_once",
       .check = schema::boolean(),
       .ignored = "every trial is stopped once and for all"},
  };
}

}  // namespace

Check searcher_schema() {
  return schema::tagged({
      .tag = "name",
      .variants = {{"single", with_common({})},
                   {"random", with_common({max_trials(), max_concurrent_trials()})},
                   {"grid", with_common({max_concurrent_trials()})},
                   {"async_halving", with_common(async_halving_fields())}},
      .refused = {{"adaptive_asha", later},
                  {"hyperband", later},
                  {"pbt", later},
                  {"tpe", later},
                  {"custom", later},
                  {"sync_halving", ended},
                  {"adaptive", ended},
                  {"adaptive_simple", ended}},
      .fallback = "",
      .required = "use one of: async_halving, grid, random, single",
  });
}

}  // namespace dt::core
