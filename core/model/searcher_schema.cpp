#include "core/model/config_schema.h"
#include "core/model/limits.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Field;
using schema::Fields;
using schema::Findings;

constexpr std::int64_t wall_time_most_s = 10LL * 366 * 24 * 3600;
constexpr const char* ended = "was ended by Determined";

Field required(const std::string& key, Check check, const std::string& hint) {
  return Field{.key = key, .check = std::move(check), .required = hint};
}

Value refuse_promotion(const Value& value, const std::string& path, Findings& findings) {
  const std::size_t errors_before = findings.errors.size();
  schema::boolean()(value, path, findings);
  if (findings.errors.size() == errors_before && value.as_bool()) {
    findings.error(path, value, "only async_halving and adaptive_asha pause and promote trials",
                   "leave it out, or use one of them");
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

Field promote(Check check) {
  return {.key = "promote", .check = std::move(check), .fallback = std::nullopt};
}

// `own` and what every searcher has.
Fields with_common(Fields own, Check promotion = refuse_promotion) {
  Fields fields = {
      promote(std::move(promotion)),
      required("metric", schema::filled_text(),
               "name the validation metric to compare trials by, as in metric: validation_loss"),
      {.key = "smaller_is_better", .check = schema::boolean(), .fallback = Value(true)},
      {.key = "target_metric", .check = schema::finite_number(), .fallback = std::nullopt},
      {.key = "max_wall_time_s",
       .check = schema::integer(1, wall_time_most_s),
       .fallback = std::nullopt},
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

Field stop_once() {
  return {.key = "stop_once",
          .check = schema::boolean(),
          .ignored = "promote says whether a trial is stopped once and for all"};
}

Field max_time() {
  return required("max_time", schema::integer(1),
                  "add the time metric's value at which a trial is done, as in max_time: 1000");
}

Field time_metric() {
  return {.key = "time_metric", .check = schema::filled_text(), .fallback = Value("batches")};
}

Field sampler() {
  return {.key = "sampler", .check = schema::word({"random", "tpe"}), .fallback = std::nullopt};
}

Fields async_halving_fields() {
  return {
      max_trials(),
      max_concurrent_trials(),
      required("num_rungs", schema::integer(1, max_rungs_limit),
               "add how often a trial may be stopped, as in num_rungs: 3"),
      max_time(),
      time_metric(),
      sampler(),
      {.key = "divisor", .check = schema::number_above(1), .fallback = Value(4)},
      stop_once(),
  };
}

// max_time is checked with the whole configuration (check_searcher): by itself the schema is
// Determined's, where a template may lack it.
Fields adaptive_asha_fields() {
  return {
      max_trials(),
      max_concurrent_trials(),
      {.key = "mode",
       .check = schema::word({"aggressive", "conservative", "standard"}),
       .fallback = Value("standard")},
      {.key = "max_rungs", .check = schema::integer(1, max_rungs_limit), .fallback = Value(5)},
      {.key = "bracket_rungs",
       .check = schema::list_of(schema::integer(1, max_rungs_limit)),
       .fallback = Value(Value::Array{})},
      {.key = "max_time", .check = schema::integer(1), .fallback = Value()},
      {.key = "time_metric", .check = schema::filled_text(), .fallback = Value()},
      sampler(),
      {.key = "divisor", .check = schema::number_above(1), .fallback = Value(4)},
      stop_once(),
  };
}

}  // namespace

Fields hyperband_fields() {
  return {
      max_trials(),
      max_concurrent_trials(),
      max_time(),
      time_metric(),
      sampler(),
      {.key = "max_rungs", .check = schema::integer(1, max_rungs_limit), .fallback = Value(5)},
      {.key = "divisor", .check = schema::number_above(1), .fallback = Value(3)},
  };
}

Value fraction(const Value& value, const std::string& path, Findings& findings, double most) {
  const std::size_t errors_before = findings.errors.size();
  schema::number_at_least(0)(value, path, findings);
  const bool is_number = findings.errors.size() == errors_before;
  if (is_number && value.as_double() > most) {
    findings.error(path, value, cat("must be at most ", most, ", got ", value.as_double()));
  }
  return value;
}

Check fraction_up_to(double most) {
  return [most](const Value& value, const std::string& path, Findings& findings) {
    return fraction(value, path, findings, most);
  };
}

Fields pbt_fields() {
  return {
      required("population_size", schema::integer(2, max_trials_limit),
               "add how many trials train side by side, as in population_size: 16"),
      max_time(),
      time_metric(),
      required("interval", schema::integer(1),
               "add how often trials are compared, in the time metric, as in interval: 100"),
      {.key = "truncate_fraction", .check = fraction_up_to(0.5), .fallback = Value(0.25)},
      {.key = "resample_probability", .check = fraction_up_to(1), .fallback = Value(0.25)},
      {.key = "perturb_factor", .check = fraction_up_to(1), .fallback = Value(0.2)},
  };
}

Value observation(const Value& value, const std::string& path, Findings& findings) {
  if (!value["hparams"].is_object() || !value["metric"].is_number()) {
    findings.error(path, value, "must be a map of hparams and metric",
                   "as in {hparams: {lr: 0.1}, metric: 0.25}");
  }
  return value;
}

Fields tpe_fields() {
  return {
      max_trials(),
      max_concurrent_trials(),
      {.key = "warm_start", .check = schema::list_of(schema::integer(1)), .fallback = std::nullopt},
      {.key = "observations", .check = schema::list_of(observation), .fallback = std::nullopt},
  };
}

Check searcher_schema() {
  return schema::tagged({
      .tag = "name",
      .variants = {{"single", with_common({})},
                   {"random", with_common({max_trials(), max_concurrent_trials()})},
                   {"grid", with_common({max_concurrent_trials()})},
                   {"async_halving", with_common(async_halving_fields(), schema::boolean())},
                   {"adaptive_asha", with_common(adaptive_asha_fields(), schema::boolean())},
                   {"hyperband", with_common(hyperband_fields())},
                   {"pbt", with_common(pbt_fields())},
                   {"tpe", with_common(tpe_fields())},
                   {"custom", with_common({})}},
      .refused = {{"sync_halving", ended}, {"adaptive", ended}, {"adaptive_simple", ended}},
      .fallback = "",
      .required = "use one of: adaptive_asha, async_halving, custom, grid, hyperband, pbt, random, "
                  "single, tpe",
  });
}

}  // namespace dt::core
