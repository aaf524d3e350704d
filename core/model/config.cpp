#include "core/model/config.h"

#include <algorithm>

#include "core/model/config_schema.h"
#include "core/model/hyperparameters_schema.h"
#include "core/model/paths.h"

namespace dt::core {
namespace {

using schema::Findings;

constexpr const char* safe_in_shell =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+";

bool names_within(const Status& error, const std::string& part) {
  return error.detail().path.rfind(part, 0) == 0;
}

// Of the schema's result. A wrong searcher or space has been reported; what both mean together is
// judged when each is right.
void check_search(const Value& resolved, Findings& findings) {
  const bool both_right =
      std::none_of(findings.errors.begin(), findings.errors.end(), [](const Status& error) {
        return error.detail().path.empty() || names_within(error, "searcher") ||
               names_within(error, "hyperparameters");
      });
  if (both_right) check_searcher(resolved, findings);
}

struct Judged {
  Value resolved;
  Findings findings;
};

Judged judge(const Value& config) {
  static const schema::Check whole = experiment_schema();
  Judged judged;
  judged.resolved = whole(config, "", judged.findings);
  check_search(judged.resolved, judged.findings);
  auto& errors = judged.findings.errors;
  std::stable_sort(errors.begin(), errors.end(), [](const Status& a, const Status& b) {
    return a.detail().path < b.detail().path;
  });
  return judged;
}

void set_if_null(Value& map, const std::string& key, Value value) {
  if (map[key].is_null()) map.set(key, std::move(value));
}

Value& member(Value& map, const std::string& key) { return map.as_object().at(key); }

// What Determined's master fills in after the schema.
void fill_site_defaults(Value& resolved, const ConfigDefaults& defaults) {
  set_if_null(resolved, "name", defaults.name);
  set_if_null(resolved, "preemption_timeout", ExperimentConfig().preemption_timeout_s);
  set_if_null(member(resolved, "reproducibility"), "experiment_seed", std::int64_t{defaults.seed});
  Value& resources = member(resolved, "resources");
  set_if_null(resources, "priority", defaults.priority);
  set_if_null(resources, "is_single_node", false);
  if (resources["resource_pool"] == Value("")) {
    resources.set("resource_pool", ResourcesConfig().resource_pool);
  }
  resolved.set("log_policies", with_default_policies(resolved["log_policies"]));
  if (resolved["checkpoint_storage"].is_null()) {
    Findings none;
    resolved.set("checkpoint_storage",
                 checkpoint_storage_schema()(Value(Value::Object{}), "checkpoint_storage", none));
  }
}

int int_of(const Value& value) { return static_cast<int>(value.as_int()); }

std::string text_of(const Value& value) { return value.is_null() ? "" : value.as_string(); }

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.as_array()) texts.push_back(item.as_string());
  return texts;
}

std::string quoted_for_shell(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(safe_in_shell) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> entrypoint_of(const Value& entrypoint) {
  if (entrypoint.is_string()) return {entrypoint.as_string()};
  std::vector<std::string> words = texts_of(entrypoint);
  // One element means "run by the shell", so a list of one keeps its meaning by quoting.
  if (words.size() == 1) words[0] = quoted_for_shell(words[0]);
  return words;
}

ResourcesConfig resources_of(const Value& resources) {
  ResourcesConfig config;
  config.slots_per_trial = int_of(resources["slots_per_trial"]);
  if (!resources["max_slots"].is_null()) config.max_slots = int_of(resources["max_slots"]);
  config.weight = resources["weight"].as_double();
  config.priority = int_of(resources["priority"]);
  config.resource_pool = resources["resource_pool"].as_string();
  config.is_single_node = resources["is_single_node"].as_bool();
  config.gpu_models = texts_of(resources["gpu_models"]);
  return config;
}

std::string shared_folder(const Value& storage) {
  const std::string& folder = storage["host_path"].as_string();
  if (storage["storage_path"].is_null()) return normalised(folder);
  const std::string& inner = storage["storage_path"].as_string();
  return normalised(is_absolute(inner) ? inner : cat(folder, "/", inner));
}

CheckpointStorageConfig storage_of(const Value& storage) {
  CheckpointStorageConfig config;
  const std::string& type = storage["type"].as_string();
  if (type == "directory") {
    config.kind = CheckpointStorageConfig::Kind::directory;
    config.path = normalised(storage["container_path"].as_string());
  } else if (type == "shared_fs") {
    config.kind = CheckpointStorageConfig::Kind::shared_fs;
    config.path = shared_folder(storage);
  }
  config.save_experiment_best = int_of(storage["save_experiment_best"]);
  config.save_trial_best = int_of(storage["save_trial_best"]);
  config.save_trial_latest = int_of(storage["save_trial_latest"]);
  return config;
}

// Slots are CPUs or NVIDIA GPUs, and which is known only at the agent; so lists that differ cannot
// be told apart here.
std::vector<std::string> variables_of(const Value& environment, Findings& findings) {
  const Value& lists = environment["environment_variables"];
  if (lists["cpu"] != lists["cuda"]) {
    findings.warn("environment.environment_variables",
                  "the lists of cpu and cuda differ; slots are CPUs in this release, so cpu holds");
  }
  return texts_of(lists["cpu"]);
}

ExperimentConfig experiment_of(const Value& resolved, Findings& findings) {
  const Value& environment = resolved["environment"];
  ExperimentConfig config;
  config.name = resolved["name"].as_string();
  config.description = text_of(resolved["description"]);
  config.labels = texts_of(resolved["labels"]);
  config.workspace = resolved["workspace"].as_string();
  config.project = resolved["project"].as_string();
  config.entrypoint = entrypoint_of(resolved["entrypoint"]);
  config.prepare = resolved["prepare"].as_string();
  config.family = environment["family"].as_string();
  config.environment_variables = variables_of(environment, findings);
  config.strategy = resolved["distributed"]["strategy"].as_string();
  config.backend = resolved["distributed"]["backend"].as_string();
  config.hyperparameters = space_of(resolved["hyperparameters"]);
  config.searcher = searcher_of(resolved["searcher"]);
  config.resources = resources_of(resolved["resources"]);
  config.checkpoint_storage = storage_of(resolved["checkpoint_storage"]);
  config.log_policies = log_policies_of(resolved["log_policies"]);
  config.seed = static_cast<std::uint32_t>(resolved["reproducibility"]["experiment_seed"].as_int());
  const Value& trial_seed = resolved["reproducibility"]["trial_seed"];
  if (trial_seed.is_int()) config.trial_seed = static_cast<std::uint32_t>(trial_seed.as_int());
  config.max_restarts = int_of(resolved["max_restarts"]);
  config.preemption_timeout_s = int_of(resolved["preemption_timeout"]);
  config.scheduling_unit = resolved["scheduling_unit"].as_int();
  return config;
}

}  // namespace

std::vector<Status> check_config(const Value& config) { return judge(config).findings.errors; }

Result<ParsedConfig> parse_config(const Value& config, const ConfigDefaults& defaults) {
  Judged judged = judge(config);
  if (!judged.findings.errors.empty()) return judged.findings.errors.front();
  ParsedConfig parsed;
  parsed.resolved = std::move(judged.resolved);
  fill_site_defaults(parsed.resolved, defaults);
  parsed.config = experiment_of(parsed.resolved, judged.findings);
  parsed.warnings = std::move(judged.findings.warnings);
  std::sort(parsed.warnings.begin(), parsed.warnings.end());
  return parsed;
}

}  // namespace dt::core
