#include "agent/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "agent/family/family.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

constexpr const char* protocol = "Dovetail's protocol";

// What schedulers and launchers leave behind: it would make a framework believe they started it.
constexpr std::array scrubbed_prefixes{"SLURM_", "SLURMD_", "OMPI_", "PMI_",    "PMIX_",
                                       "MV2_",   "MPI_",    "PET_",  "FLUX_",   "TORCHELASTIC_",
                                       "DT_",    "PBS_",    "LSB_",  "HOROVOD_"};
constexpr std::array scrubbed_names{"RANK",
                                    "WORLD_SIZE",
                                    "LOCAL_RANK",
                                    "LOCAL_WORLD_SIZE",
                                    "GROUP_RANK",
                                    "GROUP_WORLD_SIZE",
                                    "ROLE_RANK",
                                    "ROLE_WORLD_SIZE",
                                    "ROLE_NAME",
                                    "NODE_RANK",
                                    "MASTER_ADDR",
                                    "MASTER_PORT",
                                    "CUDA_VISIBLE_DEVICES",
                                    "TF_CONFIG",
                                    "MLFLOW_RUN_ID"};
// Of the agent's user alone.
constexpr std::array personal_names{
    "USER",   "LOGNAME",         "MAIL",           "TMPDIR",
    "HOME",   "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "OLDPWD", "XDG_DATA_HOME",   "SSH_AUTH_SOCK",  "PWD"};
constexpr std::array secret_words{"SECRET", "PASSWORD", "PASSWD", "KEY", "TOKEN", "CREDENTIAL"};

bool is_scrubbed(const std::string& name) {
  const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
  return std::any_of(scrubbed_prefixes.begin(), scrubbed_prefixes.end(), begins) ||
         std::find(scrubbed_names.begin(), scrubbed_names.end(), name) != scrubbed_names.end();
}

bool is_secret(const std::string& name) {
  std::string upper = name;
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return std::any_of(secret_words.begin(), secret_words.end(),
                     [&](const char* word) { return upper.find(word) != upper.npos; });
}

void add_inherited(const NodeFacts& node, Environment& environment) {
  for (const auto& [name, value] : node.inherited) {
    const bool is_personal =
        std::find(personal_names.begin(), personal_names.end(), name) != personal_names.end();
    if (is_scrubbed(name) || (is_personal && !node.user.empty())) continue;
    environment.set(name, value, "inherited from the agent");
  }
  if (node.user.empty()) return;
  const std::string reason = cat("ranks run as ", node.user);
  environment.set("HOME", node.home, reason);
  environment.set("USER", node.user, reason);
  environment.set("LOGNAME", node.user, reason);
}

void add_common(const NodeFacts& node, const AllocationFacts& facts, Environment& environment) {
  const core::Assignment& assignment = facts.assignment;
  std::string slots;
  for (const std::string& slot : assignment.slot_ids) {
    slots += cat(slots.empty() ? "" : ",", slot);
  }
  const std::vector<std::pair<const char*, std::string>> variables{
      {"DT_MASTER", node.master},
      {"DT_CLUSTER_ID", node.cluster_id},
      {"DT_AGENT_ID", node.agent.value},
      {"DT_TOKEN", facts.token},
      {"DT_EXPERIMENT_ID", to_text(assignment.experiment)},
      {"DT_TRIAL_ID", to_text(assignment.trial)},
      {"DT_TASK_ID", cat("trial-", assignment.trial)},
      {"DT_ATTEMPT", cat(assignment.attempt)},
      {"DT_RESTARTS", cat(assignment.restarts)},
      {"DT_ALLOCATION_ID", to_text(facts.allocation)},
      {"DT_SIZE", cat(assignment.size)},
      {"DT_NODE_RANK", cat(assignment.node_rank)},
      {"DT_NODES", cat(assignment.nodes)},
      {"DT_HPARAMS", to_json(assignment.hparams)},
      {"DT_CONFIG", to_json(assignment.config)},
      {"DT_SEED", cat(assignment.trial_seed)},
      {"DT_LATEST_CHECKPOINT", facts.latest_checkpoint},
      {"DT_CHECKPOINT_DIR", facts.checkpoint_dir},
      {"DT_SLOT_IDS", slots},
  };
  for (const auto& [name, value] : variables) environment.set(name, value, protocol);
  environment.set("PYTHONUNBUFFERED", "1", "so that printed lines appear at once");
  const bool has_gpus = !assignment.slot_ids.empty() && node.gpus.contains(assignment.slot_ids[0]);
  environment.set("CUDA_VISIBLE_DEVICES", has_gpus ? slots : "",
                  has_gpus ? "the GPUs of this allocation" : "CPU slots see no GPU");
  const std::string threads = cat(node.threads_per_slot);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    environment.set(name, threads, "cores of the agent divided by its slots");
  }
  if (!node.network_interface.empty()) {
    const std::string reason = "the interface that has the agent's address";
    environment.set("GLOO_SOCKET_IFNAME", node.network_interface, reason);
    environment.set("NCCL_SOCKET_IFNAME", node.network_interface, reason);
  }
  environment.prepend("CMAKE_PREFIX_PATH", node.prefix, "find_package(Dovetail)");
  if (!node.python_dir.empty()) {
    environment.prepend("PYTHONPATH", node.python_dir, "import dovetail");
  }
}

// A process can use one MIG instance only, the first that it sees: each rank sees its own.
void add_partition(const core::Assignment& assignment, const core::RankPlace& place,
                   Environment& environment) {
  const auto index = static_cast<std::size_t>(place.local_rank);
  if (index >= assignment.slot_ids.size()) return;
  const std::string& slot = assignment.slot_ids[index];
  if (!slot.starts_with("MIG-")) return;
  environment.set("CUDA_VISIBLE_DEVICES", slot, "the MIG instance of this rank");
}

// A value the user set wins; the protocol's names would only break the trial.
void add_users(const NodeFacts& node, const AllocationFacts& facts, Environment& environment) {
  for (const std::string& line : facts.config.environment_variables) {
    const std::size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    const auto own = node.inherited.find(name);
    if (name.starts_with("DT_")) continue;
    if (equals != line.npos) {
      environment.set(name, line.substr(equals + 1), "environment.environment_variables");
    } else if (own != node.inherited.end()) {
      environment.set(name, own->second, "passed on by environment.environment_variables");
    }
  }
}

}  // namespace

void Environment::prepend(const std::string& name, const std::string& value,
                          const std::string& reason) {
  Entry& entry = entries_[name];
  entry.value = entry.value.empty() ? value : cat(value, ":", entry.value);
  entry.reason = reason;
}

Environment prepare_environment(const NodeFacts& node, const AllocationFacts& facts) {
  Environment environment;
  add_inherited(node, environment);
  add_common(node, facts, environment);
  add_users(node, facts, environment);
  return environment;
}

Environment rank_environment(const NodeFacts& node, const AllocationFacts& facts,
                             const core::RankTable& table, const core::RankPlace& place) {
  Environment environment;
  add_inherited(node, environment);
  add_common(node, facts, environment);
  int local_size = 0;
  for (const core::RankPlace& other : table.ranks) local_size += other.node_rank == place.node_rank;
  environment.set("DT_RANK", cat(place.rank), protocol);
  environment.set("DT_LOCAL_RANK", cat(place.local_rank), protocol);
  environment.set("DT_LOCAL_SIZE", cat(local_size), protocol);
  environment.set("MASTER_ADDR", table.master_address, "the node of rank 0");
  environment.set("MASTER_PORT", cat(table.master_port), "bound by the shim of rank 0");
  find_family(facts.config.family)
      .add({.allocation = facts.allocation,
            .rank = place.rank,
            .local_rank = place.local_rank,
            .size = facts.assignment.size,
            .local_size = local_size,
            .node_rank = place.node_rank,
            .nodes = facts.assignment.nodes,
            .restarts = facts.assignment.restarts,
            .restarts_max = facts.config.max_restarts},
           environment);
  add_partition(facts.assignment, place, environment);
  add_users(node, facts, environment);
  return environment;
}

std::map<std::string, Environment::Entry> shared_entries(
    const std::map<int, Environment>& by_rank) {
  if (by_rank.empty()) return {};
  std::map<std::string, Environment::Entry> shared = by_rank.begin()->second.entries();
  for (const auto& [rank, environment] : by_rank) {
    std::erase_if(shared, [&](const auto& entry) {
      const auto found = environment.entries().find(entry.first);
      return found == environment.entries().end() || found->second != entry.second;
    });
  }
  return shared;
}

Value environment_record(const std::map<int, Environment>& by_rank) {
  const auto shared = shared_entries(by_rank);
  std::map<std::pair<std::string, int>, Value> sorted;  // by name; shared ones count as rank -1
  const auto add = [&](const std::string& name, const Environment::Entry& entry, int rank) {
    Value variable;
    variable.set("name", name).set("reason", entry.reason);
    variable.set("value", is_secret(name) ? "«hidden»" : entry.value);
    if (rank >= 0) variable.set("rank", rank);
    sorted[{name, rank}] = std::move(variable);
  };
  for (const auto& [name, entry] : shared) add(name, entry, -1);
  for (const auto& [rank, environment] : by_rank) {
    for (const auto& [name, entry] : environment.entries()) {
      if (!shared.contains(name)) add(name, entry, rank);
    }
  }
  Value::Array variables;
  for (auto& [key, variable] : sorted) variables.push_back(std::move(variable));
  Value record;
  record.set("variables", std::move(variables));
  return record;
}

std::map<std::string, std::string> inherited_environment() {
  std::map<std::string, std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    if (const char* equals = std::strchr(*at, '=')) {
      variables[std::string(*at, static_cast<std::size_t>(equals - *at))] = equals + 1;
    }
  }
  return variables;
}

}  // namespace dt::agent
