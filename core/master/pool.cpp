#include "core/master/pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/experiment/attempt_end.h"
#include "core/master/agent_state.h"
#include "core/master/allocations.h"
#include "core/master/trials.h"
#include "core/sched/fitting.h"
#include "core/sched/schedule.h"

namespace dt::core {
namespace {

bool takes_part(const AgentMemory& agent) {
  return agent.row.connected && agent.link != 0 && agent.strays.empty();
}

std::string request_id(TrialId trial) { return cat("trial ", trial); }

struct Use {  // of one agent
  std::vector<const AllocationNode*> nodes;
  int zero_slot_tasks = 0;
};

Use use_of(const Book& book, const AgentId& agent) {
  Use use{.nodes = nodes_on(book, agent)};
  std::erase_if(use.nodes, [](const AllocationNode* node) { return node->released; });
  for (const AllocationNode* node : use.nodes) use.zero_slot_tasks += node->slot_ids.empty() ? 1 : 0;
  return use;
}

bool holds(const Use& use, const Slot& slot) {
  return std::any_of(use.nodes.begin(), use.nodes.end(), [&](const AllocationNode* node) {
    return std::find(node->slot_ids.begin(), node->slot_ids.end(), slot.id) != node->slot_ids.end();
  });
}

bool is_usable(const AgentRow& agent, const Slot& slot) {
  return slot.fault.empty() && is_enabled(agent, slot.id);
}

// All slots of an agent are of one model: that of its first.
std::string model_of(const AgentRow& agent) {
  return agent.slots.empty() ? "" : agent.slots.front().device;
}

AgentCapacity capacity_of(const AgentMemory& memory, const Use& use) {
  const AgentRow& agent = memory.row;
  int slots = 0, used = 0;
  for (const Slot& slot : agent.slots) {
    const bool held = holds(use, slot);
    used += held ? 1 : 0;
    slots += held || is_usable(agent, slot) ? 1 : 0;  // what is not usable goes when it is free
  }
  return {.id = agent.id,
          .slots = slots,
          .used = used,
          .zero_slot = use.zero_slot_tasks,
          .state = agent.state,
          .model = model_of(agent),
          .hash = memory.hash};
}

bool has_one_of(const std::string& model, const std::vector<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& part) {
    return model.find(part) != std::string::npos;
  });
}

// The models of the pool's agents that the configuration allows, in full; empty: any is allowed.
std::vector<std::string> allowed_models(const Book& book, const ResourcesConfig& resources) {
  if (resources.gpu_models.empty()) return {};
  std::set<std::string> models;
  for (const auto& [id, agent] : book.agents) {
    const std::string model = model_of(agent.row);
    const bool here = agent.row.pool == resources.resource_pool;
    if (here && has_one_of(model, resources.gpu_models)) models.insert(model);
  }
  if (models.empty()) return resources.gpu_models;  // which nobody has: it waits, and says so
  return {models.begin(), models.end()};
}

// Every agent that the pool has known and not forgotten, as if all were here and idle.
std::vector<AgentCapacity> known_agents(const Book& book, const std::string& pool) {
  std::vector<AgentCapacity> agents;
  for (const auto& [id, agent] : book.agents) {
    const bool here = agent.row.pool == pool && !agent.row.forgotten;
    if (!here) continue;
    agents.push_back({.id = id,
                      .slots = static_cast<int>(agent.row.slots.size()),
                      .model = model_of(agent.row)});
  }
  return agents;
}

SlotRequest request_of(const Experiment& experiment, const TrialMemory& trial) {
  SlotRequest request = request_of(experiment);
  request.id = request_id(trial.row.id);
  request.requested = trial.row.id.value;
  request.blocked.insert(trial.row.excluded_agents.begin(), trial.row.excluded_agents.end());
  return request;
}

std::vector<Placement> held_by(const AllocationRow& row) {
  std::vector<Placement> placements;
  for (const AllocationNode& node : row.nodes) {
    if (!node.released) placements.push_back({node.agent, static_cast<int>(node.slot_ids.size())});
  }
  return placements;
}

// Notes when the trial got its slots or lost them, and tells the policy how long it has had them.
void count_service(TrialMemory& trial, Time now, SlotRequest& request) {
  const bool holds = !request.placed.empty();
  if (trial.since == Time{}) {
    trial.holds_slots = holds;
    trial.since = now;
  }
  if (holds != trial.holds_slots) {
    (holds ? trial.waited : trial.served) =
        (holds ? Duration{} : trial.served) + (now - trial.since);
    trial.holds_slots = holds;
    trial.since = now;
  }
  request.since = trial.since;
  request.waited = trial.waited;
  request.attained = trial.served;
}

// One pool's view of one experiment: what its trials hold and what they wait for, within max_slots.
void add_requests(Step& step, const Experiment& experiment, PoolState& pool,
                  std::vector<TrialId>& trials) {
  const ResourcesConfig& resources = experiment.config.resources;
  int slots = resources.max_slots ? slots_held(step.book, experiment) : 0;
  const std::vector<std::string> models = allowed_models(step.book, resources);
  const JobShare share{.weight = resources.weight, .max_slots = resources.max_slots};
  if (!(share == JobShare{})) pool.jobs[to_text(experiment.row.id)] = share;
  for (const auto& [number, id] : experiment.trials) {
    TrialMemory* trial = step.book.find(id);
    if (trial == nullptr || (!trial->live && !wants_slots(*trial, step.now))) continue;
    SlotRequest request = request_of(experiment, *trial);
    request.models = models;
    if (trial->live) {
      const AllocationRow& row = step.book.find(trial->live)->row;
      request.placed = held_by(row);
      request.released = row.order >= Order::preempt;
      if (request.placed.empty()) continue;
    } else if (resources.max_slots && slots + request.slots > *resources.max_slots) {
      trial->waiting = cat("experiment ", experiment.row.id, " may hold ", *resources.max_slots,
                           " slots (resources.max_slots) and holds ", slots);
      continue;
    } else {
      slots += request.slots;
    }
    count_service(*trial, step.now, request);
    trials.push_back(id);
    pool.requests.push_back(std::move(request));
  }
}

struct PoolView {
  PoolState pool;
  std::vector<TrialId> trials;  // of each request
};

PoolView view_of(Step& step, const std::string& name, const PoolConfig& config) {
  PoolView view{.pool = {.config = config, .now = step.now}};
  for (auto& [id, agent] : step.book.agents) {
    if (agent.row.pool != name || !takes_part(agent)) continue;
    if (agent.hash == 0) agent.hash = hash_of(id.value);
    view.pool.agents.push_back(capacity_of(agent, use_of(step.book, id)));
  }
  for (const auto& [id, experiment] : step.book.experiments) {
    if (experiment.config.resources.resource_pool == name) {
      add_requests(step, experiment, view.pool, view.trials);
    }
  }
  return view;
}

void schedule_pool(Step& step, const std::string& name, const PoolConfig& config) {
  const auto [pool, trials] = view_of(step, name, config);
  const Scheduled scheduled = schedule(pool);
  step.book.look_again[name] = scheduled.look_again;
  for (const auto& [request, reason] : scheduled.waiting) {
    step.book.at(trials[request]).waiting = scheduled.reasons[reason];
  }
  for (const Scheduled::Start& start : scheduled.start) {
    begin_attempt(step, trials[start.request], start.placements);
  }
  // Once more, so that the others' reasons tell what is left, and service is counted from now on.
  if (!scheduled.start.empty()) step.book.must_schedule(name);
  for (const std::size_t request : scheduled.release) {
    withdraw(step, step.book.at(trials[request]).live);
  }
}

std::string plural(int count, const char* noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

struct Missing {  // of a pool
  int known = 0;
  int absent = 0;  // agents that are not connected
  int closed = 0;  // drained or disabled
  int slots = 0;   // disabled, of agents that are here
  int faulty = 0;  // slots
};

void count(Missing& missing, const AgentMemory& agent) {
  ++missing.known;
  for (const Slot& slot : agent.row.slots) missing.faulty += slot.fault.empty() ? 0 : 1;
  if (!takes_part(agent)) {
    ++missing.absent;
  } else if (agent.row.state != AgentState::enabled) {
    ++missing.closed;
  } else {
    for (const Slot& slot : agent.row.slots) missing.slots += is_enabled(agent.row, slot.id) ? 0 : 1;
  }
}

std::string in_words(const Missing& missing) {
  std::string text;
  const auto add = [&](const std::string& part) { text += cat(text.empty() ? "" : ", ", part); };
  if (missing.absent > 0) {
    add(cat(plural(missing.absent, "agent"), " of the pool not connected"));
  }
  if (missing.closed > 0) add(cat(plural(missing.closed, "agent"), " drained or disabled"));
  if (missing.slots > 0) add(cat(plural(missing.slots, "slot"), " disabled"));
  if (missing.faulty > 0) add(cat(plural(missing.faulty, "slot"), " with a fault: dtctl agent list"));
  return text.empty() ? "" : cat(" (", text, ")");
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
  SlotRequest request{.id = "gang",
                      .slots = asked,
                      .models = allowed_models(book, resources),
                      .single_node = resources.is_single_node};
  if (agents.empty() || fits_when_idle(request, agents, found->second)) return {};
  int total = 0;
  for (const AgentCapacity& agent : agents) total += agent.slots;
  request.slots = std::min(total, asked);
  while (request.slots > 0 && !fits_when_idle(request, agents, found->second)) --request.slots;
  return failed_precondition("resources.slots_per_trial: ", plural(asked, "slot"),
                             " asked, but the largest gang that pool ", pool, " can hold",
                             resources.is_single_node ? " on one node" : "",
                             resources.gpu_models.empty() ? "" : " on the GPU models asked for",
                             " has ", request.slots)
      .with_detail(detail);
}

bool has_place_besides(const Book& book, const TrialRow& trial) {
  const Experiment& experiment = book.experiments.at(trial.experiment);
  const std::string& pool = experiment.config.resources.resource_pool;
  std::vector<AgentCapacity> agents = known_agents(book, pool);
  std::erase_if(agents, [&](const AgentCapacity& agent) {
    const auto& excluded = trial.excluded_agents;
    return std::find(excluded.begin(), excluded.end(), agent.id) != excluded.end();
  });
  const auto config = book.options.pools.find(pool);
  SlotRequest request = request_of(experiment);
  request.models = allowed_models(book, experiment.config.resources);
  return config != book.options.pools.end() && fits_when_idle(request, agents, config->second);
}

bool has_agents(const Book& book, const std::string& pool) {
  return !known_agents(book, pool).empty();
}

std::vector<std::string> free_slots(const Book& book, const AgentId& agent) {
  const Use use = use_of(book, agent);
  std::vector<std::string> free;
  const AgentRow& row = book.agents.at(agent).row;
  for (const Slot& slot : row.slots) {
    if (!holds(use, slot) && is_usable(row, slot)) free.push_back(slot.id);
  }
  return free;
}

void schedule_pools(Step& step) {
  for (const std::string& name : std::exchange(step.book.pools_to_schedule, {})) {
    const auto pool = step.book.options.pools.find(name);
    if (pool != step.book.options.pools.end()) schedule_pool(step, name, pool->second);
  }
}

std::string what_was_missed(Step& step) {
  for (const auto& [name, config] : step.book.options.pools) {
    const auto [pool, trials] = view_of(step, name, config);
    const Scheduled scheduled = schedule(pool);
    if (!scheduled.start.empty()) {
      return cat("trial ", trials[scheduled.start.front().request], " could start in pool ", name);
    }
    if (!scheduled.release.empty()) {
      return cat("trial ", trials[scheduled.release.front()], " should leave pool ", name);
    }
  }
  return "";
}

SlotRequest request_of(const Experiment& experiment) {
  return {.job = to_text(experiment.row.id),
          .slots = experiment.config.resources.slots_per_trial,
          .priority = experiment.row.priority,
          .queue_position = static_cast<double>(experiment.row.queued_ms),
          .job_submitted = experiment.row.id.value,
          .single_node = experiment.config.resources.is_single_node};
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

std::string absent_agents(const Book& book, const std::string& pool) {
  Missing missing;
  for (const auto& [id, agent] : book.agents) {
    if (agent.row.pool == pool && !agent.row.forgotten) count(missing, agent);
  }
  if (missing.known == 0) return cat("no agent has joined pool ", pool);
  if (missing.absent == missing.known) return cat("no agent of pool ", pool, " is connected");
  if (missing.absent + missing.closed == missing.known) {
    return cat("no agent of pool ", pool, " takes trials: all are drained, disabled or away");
  }
  return in_words(missing);
}

std::string why_waiting(const Book& book, TrialId id) {
  const auto trial = book.trials.find(id);
  if (trial == book.trials.end()) return "";
  const Experiment& experiment = book.experiments.at(trial->second.row.experiment);
  return why_waiting(book, trial->second,
                     absent_agents(book, experiment.config.resources.resource_pool));
}

std::string why_waiting(const Book& book, const TrialMemory& trial, const std::string& absent) {
  if (is_terminal(trial.row.state)) return "";
  if (trial.live && is_attempt_open(book, trial.live)) return "";
  if (trial.live)
    return cat("waits until the checkpoints of attempt ", trial.row.attempts, " are stored");
  if (trial.row.state == TrialState::paused) {
    const SearchLog& search = book.experiments.at(trial.row.experiment).search;
    const bool by_search = search.is_paused(trial.row.number);
    return by_search ? "paused by the search, which may resume it" : "paused";
  }
  if (trial.launch_failures > 0 && trial.waiting.empty()) {
    return cat("waits after ", plural(trial.launch_failures, "failed start"), ": ",
               trial.last_failure);
  }
  if (trial.withdrawals > 0 && trial.waiting.empty()) return "waits after it had to make room";
  return absent.starts_with("no agent") ? absent : cat(trial.waiting, absent);
}

}  // namespace dt::core
