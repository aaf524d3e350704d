#include "core/master/pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/experiment/attempt_end.h"
#include "core/master/allocations.h"
#include "core/master/trials.h"
#include "core/sched/fitting.h"
#include "core/sched/priority.h"

namespace dt::core {
namespace {

bool takes_part(const AgentMemory& agent) {
  return agent.row.connected && agent.link != 0 && agent.strays.empty();
}

std::string request_id(TrialId trial) { return cat("trial ", trial); }

struct Use {  // of one agent
  std::set<std::string> slots;
  int zero_slot_tasks = 0;
};

std::map<AgentId, Use> uses_of(const Book& book) {
  std::map<AgentId, Use> uses;
  for (const auto& [id, memory] : book.allocations) {
    for (const AllocationNode& node : memory.row.nodes) {
      if (node.released) continue;
      Use& use = uses[node.agent];
      use.slots.insert(node.slot_ids.begin(), node.slot_ids.end());
      use.zero_slot_tasks += node.slot_ids.empty() ? 1 : 0;
    }
  }
  return uses;
}

AgentCapacity capacity_of(const AgentRow& agent, const Use& use) {
  int used = 0;
  for (const Slot& slot : agent.slots) used += use.slots.contains(slot.id) ? 1 : 0;
  return {.id = agent.id,
          .slots = static_cast<int>(agent.slots.size()),
          .used = used,
          .zero_slot = use.zero_slot_tasks};
}

// Every agent that the pool has known and not forgotten, as if all were here and idle.
std::vector<AgentCapacity> known_agents(const Book& book, const std::string& pool) {
  std::vector<AgentCapacity> agents;
  for (const auto& [id, agent] : book.agents) {
    const bool here = agent.row.pool == pool && !agent.row.forgotten;
    if (here) agents.push_back({.id = id, .slots = static_cast<int>(agent.row.slots.size())});
  }
  return agents;
}

SlotRequest request_of(const Experiment& experiment, const TrialMemory& trial) {
  return {.id = request_id(trial.row.id),
          .job = to_text(trial.row.experiment),
          .slots = experiment.config.resources.slots_per_trial,
          .priority = experiment.row.priority,
          .queue_position = static_cast<double>(trial.row.experiment.value),
          .job_submitted = trial.row.experiment.value,
          .requested = trial.row.id.value,
          .single_node = experiment.config.resources.is_single_node};
}

std::vector<Placement> held_by(const AllocationRow& row) {
  std::vector<Placement> placements;
  for (const AllocationNode& node : row.nodes) {
    if (!node.released) placements.push_back({node.agent, static_cast<int>(node.slot_ids.size())});
  }
  return placements;
}

int slots_held(const Book& book, const Experiment& experiment) {
  int slots = 0;
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial == book.trials.end() || !trial->second.live) continue;
    for (const Placement& placement : held_by(book.allocations.at(trial->second.live).row)) {
      slots += placement.slots;
    }
  }
  return slots;
}

// One pool's view of one experiment: what its trials hold and what they wait for, within max_slots.
void add_requests(Step& step, const Experiment& experiment, PoolState& pool,
                  std::map<std::string, TrialId>& trials) {
  const ResourcesConfig& resources = experiment.config.resources;
  int slots = slots_held(step.book, experiment);
  for (const auto& [number, id] : experiment.trials) {
    TrialMemory* trial = step.book.find(id);
    if (trial == nullptr) continue;
    SlotRequest request = request_of(experiment, *trial);
    if (trial->live) {
      const AllocationRow& row = step.book.find(trial->live)->row;
      request.placed = held_by(row);
      request.released = row.order >= Order::preempt;
      if (request.placed.empty()) continue;
    } else if (!wants_slots(*trial, step.now)) {
      continue;
    } else if (resources.max_slots && slots + request.slots > *resources.max_slots) {
      trial->waiting = cat("experiment ", experiment.row.id, " may hold ", *resources.max_slots,
                           " slots (resources.max_slots) and holds ", slots);
      continue;
    } else {
      slots += request.slots;
    }
    trials.emplace(request.id, id);
    pool.requests.push_back(std::move(request));
  }
}

void schedule_pool(Step& step, const std::string& name, const PoolConfig& config) {
  PoolState pool{.config = config, .agents = {}, .requests = {}};
  std::map<std::string, TrialId> trials;
  std::map<AgentId, Use> uses = uses_of(step.book);
  for (const auto& [id, agent] : step.book.agents) {
    if (agent.row.pool != name || !takes_part(agent)) continue;
    pool.agents.push_back(capacity_of(agent.row, uses[id]));
  }
  for (const auto& [id, experiment] : step.book.experiments) {
    if (experiment.config.resources.resource_pool == name) {
      add_requests(step, experiment, pool, trials);
    }
  }
  const Scheduled scheduled = schedule_by_priority(pool);
  for (const auto& [id, reason] : scheduled.reason) step.book.at(trials.at(id)).waiting = reason;
  for (const auto& [id, placements] : scheduled.start) {
    begin_attempt(step, trials.at(id), placements);
    step.book.must_schedule = true;  // once more, so that the others' reasons tell what is left
  }
  for (const std::string& id : scheduled.release) {
    withdraw(step, step.book.at(trials.at(id)).live);
  }
}

std::string plural(int count, const char* noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

// Of the agents known, how many the scheduler cannot use now.
std::string absent_agents(const Book& book, const std::string& pool) {
  int known = 0, absent = 0;
  for (const auto& [id, agent] : book.agents) {
    if (agent.row.pool != pool || agent.row.forgotten) continue;
    ++known;
    absent += takes_part(agent) ? 0 : 1;
  }
  if (known == 0) return cat("no agent has joined pool ", pool);
  if (absent == known) return cat("no agent of pool ", pool, " is connected");
  return absent == 0 ? "" : cat(" (", plural(absent, "agent"), " of the pool not connected)");
}

std::string why_not_placed(const Book& book, const TrialMemory& trial) {
  const Experiment& experiment = book.experiments.at(trial.row.experiment);
  const std::string absent = absent_agents(book, experiment.config.resources.resource_pool);
  if (absent.starts_with("no agent")) return absent;
  return cat(trial.waiting, absent);
}

}  // namespace

Status check_resources(const Book& book, const ResourcesConfig& resources) {
  const std::string& pool = resources.resource_pool;
  const auto found = book.options.pools.find(pool);
  if (found == book.options.pools.end()) {
    std::string known;
    for (const auto& [name, config] : book.options.pools)
      known += cat(known.empty() ? "" : ", ", name);
    return invalid_argument("resources.resource_pool: pool ", pool, " does not exist")
        .with_detail({.subject = "resources.resource_pool",
                      .value = pool,
                      .hint = cat("known pools: ", known),
                      .path = "resources.resource_pool"});
  }
  const int asked = resources.slots_per_trial;
  const Detail detail{.subject = "resources.slots_per_trial",
                      .value = std::to_string(asked),
                      .hint = "ask for fewer slots, or start agents with more",
                      .path = "resources.slots_per_trial"};
  if (resources.max_slots && asked > *resources.max_slots) {
    return invalid_argument("resources.slots_per_trial: ", plural(asked, "slot"),
                            " asked, but resources.max_slots is ", *resources.max_slots)
        .with_detail(detail);
  }
  const std::vector<AgentCapacity> agents = known_agents(book, pool);
  SlotRequest request{.id = "gang", .slots = asked, .single_node = resources.is_single_node};
  if (agents.empty() || fits_when_idle(request, agents, found->second)) return {};
  int total = 0;
  for (const AgentCapacity& agent : agents) total += agent.slots;
  request.slots = std::min(total, asked);
  while (request.slots > 0 && !fits_when_idle(request, agents, found->second)) --request.slots;
  return failed_precondition("resources.slots_per_trial: ", plural(asked, "slot"),
                             " asked, but the largest gang that pool ", pool, " can hold",
                             resources.is_single_node ? " on one node" : "", " has ", request.slots)
      .with_detail(detail);
}

bool has_agents(const Book& book, const std::string& pool) {
  return !known_agents(book, pool).empty();
}

std::vector<std::string> free_slots(const Book& book, const AgentId& agent) {
  const std::set<std::string> held = uses_of(book)[agent].slots;
  std::vector<std::string> free;
  for (const Slot& slot : book.agents.at(agent).row.slots) {
    if (!held.contains(slot.id)) free.push_back(slot.id);
  }
  return free;
}

void schedule_pools(Step& step) {
  if (!std::exchange(step.book.must_schedule, false)) return;
  for (const auto& [name, config] : step.book.options.pools) schedule_pool(step, name, config);
}

std::string why_waiting(const Book& book, TrialId id) {
  const auto found = book.trials.find(id);
  if (found == book.trials.end() || is_terminal(found->second.row.state)) return "";
  const TrialMemory& trial = found->second;
  if (trial.live && is_attempt_open(book, trial.live)) return "";
  if (trial.live)
    return cat("waits until the checkpoints of attempt ", trial.row.attempts, " are stored");
  if (trial.row.state == TrialState::paused) return "paused";
  if (trial.launch_failures > 0 && trial.waiting.empty()) {
    return cat("waits after ", plural(trial.launch_failures, "failed start"), ": ",
               trial.last_failure);
  }
  return why_not_placed(book, trial);
}

}  // namespace dt::core
