// Sections of the oracle that this master has no rule for, each with the reason.
#include <map>

#include "sim/oracle.h"

namespace dt::sim {
namespace {

constexpr const char* harness = "of the training harness: tests/unit/trial has its oracles";
constexpr const char* cloud =
    "machines are not started or ended by the master: no cloud provisioner";
constexpr const char* policies = "administrators' configuration policies are not built";

const std::map<std::string, const char*>& reasons() {
  static const std::map<std::string, const char*> all = {
      {"meta", "tells of the file itself"},
      {"allgather", "ranks meet by the rank table of `start` and their own process group"},
      {"port_registry",
       "rank 0's shim binds a free port and holds it; no registry to disagree with"},
      {"pool_slot_type", "a pool has no type: each slot says its own kind"},
      {"metric_identifier", "group and name of a metric travel as two fields"},
      {"metadata_flatten", "a checkpoint's metadata is kept as it came"},
      {"tcd_merge", "there are no containers, so no defaults for them"},
      {"webhook_signature", "webhooks are not built"},
      {"policy_priority_limit", policies},
      {"policy_constraint_conflict", policies},
      {"policy_workload_type", policies},
      {"desired_new_agents", cloud},
      {"scale_decider_launch", cloud},
      {"scale_decider_terminate", cloud},
      {"scale_decider_states", cloud},
      {"scaling_info", cloud},
      {"sampler", harness},
      {"reducer", harness},
      {"training_metric_average", harness},
      {"batch_size", harness},
      {"merge_files", harness},
      {"merge_metadata", harness},
      {"callback_counts", harness},
      {"checkpoint_policy_best", harness},
      {"progress_reports", harness},
      {"train_unit", harness},
      {"resume", harness},
      {"one_var_model", harness},
      {"gradient_aggregation", harness},
      {"lr_scheduler_steps", harness},
      {"profiler", harness},
  };
  return all;
}

}  // namespace

std::optional<std::string> reason_without_runner(const std::string& section) {
  const auto found = reasons().find(section);
  return found == reasons().end() ? std::nullopt : std::optional<std::string>(found->second);
}

}  // namespace dt::sim
