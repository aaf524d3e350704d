// From the resolved searcher section to SearcherConfig, and what the section and the space mean
// together.
#include <map>

#include "core/model/config.h"
#include "core/model/config_schema.h"
#include "core/model/hyperparameters_schema.h"

namespace dt::core {
namespace {

using schema::Findings;

int int_of(const Value& value) { return static_cast<int>(value.as_int()); }

bool is_set(const Value& searcher, const std::string& key) {
  return searcher[key].is_bool() && searcher[key].as_bool();
}

std::string text_or(const Value& value, const char* fallback) {
  return value.is_string() ? value.as_string() : fallback;
}

AsyncHalvingSearch async_halving_of(const Value& searcher) {
  return {.num_rungs = int_of(searcher["num_rungs"]),
          .max_trials = int_of(searcher["max_trials"]),
          .divisor = searcher["divisor"].as_double(),
          .max_concurrent_trials = int_of(searcher["max_concurrent_trials"]),
          .time_metric = text_or(searcher["time_metric"], "batches"),
          .max_time = searcher["max_time"].as_int(),
          .promote = is_set(searcher, "promote")};
}

AdaptiveAshaSearch::Mode mode_of(const std::string& name) {
  if (name == "conservative") return AdaptiveAshaSearch::Mode::conservative;
  if (name == "aggressive") return AdaptiveAshaSearch::Mode::aggressive;
  VERIFY(name == "standard", "mode ", name);
  return AdaptiveAshaSearch::Mode::standard;
}

AdaptiveAshaSearch adaptive_asha_of(const Value& searcher) {
  AdaptiveAshaSearch search{.mode = mode_of(searcher["mode"].as_string()),
                            .max_rungs = int_of(searcher["max_rungs"]),
                            .bracket_rungs = {},
                            .max_trials = int_of(searcher["max_trials"]),
                            .divisor = searcher["divisor"].as_double(),
                            .max_concurrent_trials = int_of(searcher["max_concurrent_trials"]),
                            .time_metric = text_or(searcher["time_metric"], "batches"),
                            .max_time = searcher["max_time"].as_int(),
                            .promote = is_set(searcher, "promote")};
  for (const Value& rungs : searcher["bracket_rungs"].as_array()) {
    search.bracket_rungs.push_back(int_of(rungs));
  }
  return search;
}

HyperbandSearch hyperband_of(const Value& searcher) {
  return {.max_trials = int_of(searcher["max_trials"]),
          .max_rungs = int_of(searcher["max_rungs"]),
          .divisor = searcher["divisor"].as_double(),
          .max_concurrent_trials = int_of(searcher["max_concurrent_trials"]),
          .time_metric = searcher["time_metric"].as_string(),
          .max_time = searcher["max_time"].as_int()};
}

PbtSearch pbt_of(const Value& searcher) {
  return {.population_size = int_of(searcher["population_size"]),
          .interval = searcher["interval"].as_int(),
          .truncate_fraction = searcher["truncate_fraction"].as_double(),
          .resample_probability = searcher["resample_probability"].as_double(),
          .perturb_factor = searcher["perturb_factor"].as_double(),
          .time_metric = searcher["time_metric"].as_string(),
          .max_time = searcher["max_time"].as_int()};
}

// Each reads its own section; the schema has checked it.
using Method = decltype(SearcherConfig::method);
const std::map<std::string, Method (*)(const Value&)>& readers() {
  static const std::map<std::string, Method (*)(const Value&)> all = {
      {"single", [](const Value&) -> Method { return SingleSearch{}; }},
      {"random",
       [](const Value& searcher) -> Method {
         return RandomSearch{int_of(searcher["max_trials"]),
                             int_of(searcher["max_concurrent_trials"])};
       }},
      {"grid",
       [](const Value& searcher) -> Method {
         return GridSearch{int_of(searcher["max_concurrent_trials"])};
       }},
      {"async_halving", [](const Value& searcher) -> Method { return async_halving_of(searcher); }},
      {"adaptive_asha", [](const Value& searcher) -> Method { return adaptive_asha_of(searcher); }},
      {"hyperband", [](const Value& searcher) -> Method { return hyperband_of(searcher); }},
      {"pbt", [](const Value& searcher) -> Method { return pbt_of(searcher); }},
      {"tpe",
       [](const Value& searcher) -> Method {
         return TpeSearch{int_of(searcher["max_trials"]),
                          int_of(searcher["max_concurrent_trials"])};
       }},
      {"custom", [](const Value&) -> Method { return CustomSearch{}; }},
  };
  return all;
}

std::vector<ExperimentId> warm_start_of(const Value& list) {
  std::vector<ExperimentId> experiments;
  if (!list.is_array()) return experiments;
  for (const Value& id : list.as_array()) experiments.push_back({id.as_int()});
  return experiments;
}

std::vector<Observation> observations_of(const Value& list) {
  std::vector<Observation> observations;
  if (!list.is_array()) return observations;
  for (const Value& one : list.as_array()) {
    observations.push_back({.hparams = one["hparams"], .metric = one["metric"].as_double()});
  }
  return observations;
}

}  // namespace

void check_searcher(const Value& resolved, Findings& findings) {
  const Value& searcher = resolved["searcher"];
  if (searcher["name"] == Value("grid")) {
    check_grid(space_of(resolved["hyperparameters"]), "hyperparameters", findings);
  }
  if (searcher["name"] == Value("adaptive_asha") && searcher["max_time"].is_null()) {
    findings.error("searcher.max_time", Value(), "required but missing",
                   "add the time metric's value at which a trial is done, as in max_time: 1000");
  }
}

SearcherConfig searcher_of(const Value& searcher) {
  SearcherConfig config;
  config.metric = searcher["metric"].as_string();
  config.smaller_is_better = searcher["smaller_is_better"].as_bool();
  if (searcher["target_metric"].is_number()) {
    config.target_metric = searcher["target_metric"].as_double();
  }
  if (searcher["max_wall_time_s"].is_int()) {
    config.max_wall_time_s = searcher["max_wall_time_s"].as_int();
  }
  if (searcher["sampler"] == Value("tpe")) config.sampler = SamplerKind::tpe;
  config.warm_start = warm_start_of(searcher["warm_start"]);
  config.observations = observations_of(searcher["observations"]);
  config.method = readers().at(searcher["name"].as_string())(searcher);
  return config;
}

}  // namespace dt::core
