// The experiment configuration: Determined's YAML format and our own keys (DESIGN §5), as plain
// data. parse_config() is the one place where defaults are filled in and values are checked; what
// it returns is valid. Errors name path, value and nearest known key; the caller adds the line,
// which only the text's parser knows.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/value.h"
#include "core/model/hyperparameters.h"
#include "core/model/log_policies.h"

namespace dt::core {

struct SingleSearch {
  bool operator==(const SingleSearch&) const = default;
};
struct RandomSearch {
  int max_trials = 0;
  int max_concurrent_trials = 16;  // 0 = no limit
  bool operator==(const RandomSearch&) const = default;
};
struct GridSearch {
  int max_concurrent_trials = 16;
  bool operator==(const GridSearch&) const = default;
};
struct AsyncHalvingSearch {
  int num_rungs = 0;
  int max_trials = 0;
  double divisor = 4;
  int max_concurrent_trials = 16;
  std::string time_metric = "batches";
  std::int64_t max_time = 0;
  bool promote = false;  // weak trials are paused and may be promoted later, not stopped
  bool operator==(const AsyncHalvingSearch&) const = default;
};
struct AdaptiveAshaSearch {
  enum class Mode { conservative, standard, aggressive };
  Mode mode = Mode::standard;
  int max_rungs = 5;
  std::vector<int> bracket_rungs;  // not empty: these, whatever mode and max_rungs are
  int max_trials = 0;
  double divisor = 4;
  int max_concurrent_trials = 16;
  std::string time_metric = "batches";
  std::int64_t max_time = 0;
  bool promote = false;
  bool operator==(const AdaptiveAshaSearch&) const = default;
};

struct HyperbandSearch {
  int max_trials = 0;
  int max_rungs = 5;
  double divisor = 3;
  int max_concurrent_trials = 16;
  std::string time_metric = "batches";
  std::int64_t max_time = 0;
  bool operator==(const HyperbandSearch&) const = default;
};
struct PbtSearch {
  int population_size = 0;
  std::int64_t interval = 0;           // of the time metric, between two comparisons of a member
  double truncate_fraction = 0.25;     // the worst are replaced by copies of as many best
  double resample_probability = 0.25;  // of each hyperparameter of a copy
  double perturb_factor = 0.2;         // else it is moved by this, up or down
  std::string time_metric = "batches";
  std::int64_t max_time = 0;
  bool operator==(const PbtSearch&) const = default;
};
struct TpeSearch {
  int max_trials = 0;
  int max_concurrent_trials = 16;
  bool operator==(const TpeSearch&) const = default;
};
struct CustomSearch {  // told by a program what to try
  bool operator==(const CustomSearch&) const = default;
};

enum class SamplerKind { random, tpe };

// What a trial of an earlier search came to.
struct Observation {
  Value hparams;
  double metric = 0;
  bool operator==(const Observation&) const = default;
};

struct SearcherConfig {
  std::string metric;
  bool smaller_is_better = true;
  std::optional<double> target_metric = std::nullopt;  // the search ends when a trial reaches it
  std::variant<SingleSearch, RandomSearch, GridSearch, AsyncHalvingSearch, AdaptiveAshaSearch,
               HyperbandSearch, PbtSearch, TpeSearch, CustomSearch>
      method;
  SamplerKind sampler = SamplerKind::random;  // of the halving methods; tpe has its own
  std::optional<std::int64_t> max_wall_time_s = std::nullopt;  // since the submit; then it ends
  std::vector<ExperimentId> warm_start = {};   // whose trials tpe begins with; the submit makes
  std::vector<Observation> observations = {};  // of them these, and drops what is not in the space
  bool operator==(const SearcherConfig&) const = default;
};

struct ResourcesConfig {
  int slots_per_trial = 1;
  std::optional<int> max_slots;
  double weight = 1;
  int priority = 42;  // 1 (first) to 99
  std::string resource_pool = "default";
  bool is_single_node = false;
  std::vector<std::string> gpu_models;  // "A100": any whose name has one of these; empty: any
  bool operator==(const ResourcesConfig&) const = default;
};

struct CheckpointStorageConfig {
  enum class Kind { master, directory, shared_fs };
  Kind kind = Kind::master;
  std::string path;  // directory: container_path; shared_fs: host_path[/storage_path]
  int save_experiment_best = 0;
  int save_trial_best = 1;
  int save_trial_latest = 1;
  bool operator==(const CheckpointStorageConfig&) const = default;
};

struct ExperimentConfig {
  std::string name;
  std::string description;
  std::vector<std::string> labels;
  std::string workspace;
  std::string project;
  std::vector<std::string> entrypoint;  // one element: run by /bin/sh -c; more: exec form
  std::string prepare;                  // shell command, run once per node and context hash
  std::string family = "auto";          // environment.family
  std::vector<std::string> environment_variables;  // "NAME=value"
  std::string strategy = "auto";                   // distributed.strategy
  std::string backend = "auto";                    // distributed.backend
  HyperparameterSpace hyperparameters;
  SearcherConfig searcher;
  ResourcesConfig resources;
  CheckpointStorageConfig checkpoint_storage;
  std::vector<LogPolicy> log_policies;
  std::uint32_t seed = 0;  // reproducibility.experiment_seed
  std::optional<std::uint32_t> trial_seed;  // reproducibility.trial_seed: of every trial
  int max_restarts = 5;
  int preemption_timeout_s = 3600;
  std::int64_t scheduling_unit = 100;
  bool operator==(const ExperimentConfig&) const = default;
};

// What a submit may fill in when the text is silent, so that core needs no clock and no chance.
struct ConfigDefaults {
  std::uint32_t seed = 0;
  std::string name;  // "Experiment (brave-otter)"
  int priority = 42;
};

struct ParsedConfig {
  ExperimentConfig config;
  Value resolved;                     // the whole configuration with defaults, for DT_CONFIG
  std::vector<std::string> warnings;  // accepted keys that this site ignores; sorted
};

// Every error found, in order of path (never just the first): each an invalid_argument whose
// Detail has path, value and hint. Empty when valid.
std::vector<Status> check_config(const Value& config);

Result<ParsedConfig> parse_config(const Value& config, const ConfigDefaults& defaults);

// `--set searcher.max_trials=8`: value is parsed as a YAML scalar or flow value by the caller.
Status set_config_key(Value& config, const std::string& path, Value value);

}  // namespace dt::core
