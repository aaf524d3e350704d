#include "core/master/agents.h"

#include <algorithm>

#include "core/agent/lease.h"
#include "core/experiment/attempt_end.h"
#include "core/master/allocations.h"

namespace dt::core {
namespace {

// Some share of an attempt is on it whose end is not known, or whose checkpoint it may still hold.
bool holds_anything(const Book& book, const AgentId& agent) {
  const std::vector<const AllocationNode*> nodes = nodes_on(book, agent);
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const AllocationNode* node) { return !node->given_up; });
}

std::set<std::string> ids_of(const std::vector<Slot>& slots) {
  std::set<std::string> ids;
  for (const Slot& slot : slots) ids.insert(slot.id);
  return ids;
}

std::set<std::string> held_slots(const Book& book, const AgentId& agent) {
  std::set<std::string> held;
  for (const AllocationNode* node : nodes_on(book, agent)) {
    if (!node->released) held.insert(node->slot_ids.begin(), node->slot_ids.end());
  }
  return held;
}

Time lease_end(const Book& book, const AgentMemory& agent) {
  const Duration wait = give_up_after(book.options.agent_lease);
  return wait == Duration::max() ? never : agent.last_word + wait;
}

// May the agent still act on our behalf?
bool has_live_lease(const Book& book, const AgentMemory& agent, Time now) {
  if (agent.link == 0 && !holds_anything(book, agent.row.id)) return false;
  return now < lease_end(book, agent);
}

Status check_cluster(const ClusterRow& cluster, const AgentHello& hello) {
  if (!hello.cluster_id.empty() && hello.cluster_id != cluster.cluster_id) {
    return failed_precondition("agent ", hello.agent, " belongs to cluster ", hello.cluster_id,
                               ", this is cluster ", cluster.cluster_id)
        .with_hint("give the agent a new data folder");
  }
  if (hello.cluster_epoch > cluster.cluster_epoch) {
    return failed_precondition("agent ", hello.agent, " has seen epoch ", hello.cluster_epoch,
                               " of this cluster, the master is at ", cluster.cluster_epoch)
        .with_hint("the master's database was restored; accept the loss first");
  }
  return {};
}

Status check_pool(const Book& book, const AgentHello& hello) {
  if (book.options.pools.contains(hello.pool)) return {};
  std::string known;
  for (const auto& [name, config] : book.options.pools)
    known += cat(known.empty() ? "" : ", ", name);
  return invalid_argument("agent ", hello.agent, ": pool ", hello.pool, " does not exist")
      .with_hint(cat("known pools: ", known));
}

Status check_slots(const AgentHello& hello) {
  std::set<std::string> ids;
  for (const Slot& slot : hello.slots) {
    if (slot.id.empty() || !ids.insert(slot.id).second) {
      return invalid_argument("agent ", hello.agent, " lists slot \"", slot.id,
                              "\" twice or unnamed");
    }
  }
  return {};
}

Status check_machine(const Book& book, const AgentHello& hello, Time now) {
  const auto known = book.agents.find(hello.agent);
  if (known == book.agents.end() || known->second.row.machine_id == hello.machine_id) return {};
  if (!has_live_lease(book, known->second, now)) return {};
  return already_exists("agent ", hello.agent, " at ", known->second.row.address,
                        " has a live lease; the same agent id was used from ", hello.address)
      .with_hint(
          "two machines share one data folder; give one of them a new data folder, or "
          "dtctl agent forget it once the other is gone");
}

// What lives on the agent is known by its slots, so those must be back. Others may have come or gone:
// a GPU that broke must not keep the rest away.
Status check_what_it_holds(const Book& book, const AgentHello& hello) {
  const auto known = book.agents.find(hello.agent);
  if (known == book.agents.end() || known->second.row.boot_id != hello.boot_id) return {};
  if (known->second.row.machine_id != hello.machine_id) return {};
  const std::set<std::string> held = held_slots(book, hello.agent);
  const std::set<std::string> offered = ids_of(hello.slots);
  const bool has_all = std::includes(offered.begin(), offered.end(), held.begin(), held.end());
  const bool may_move = held.empty() || known->second.row.pool == hello.pool;
  return has_all && may_move ? Status() : check_unchanged(known->second.row, hello);
}

Status check_hello(const Book& book, const AgentHello& hello, Time now) {
  if (!hello.agent) return invalid_argument("an agent without an id");
  TRY(check_cluster(book.cluster, hello));
  TRY(check_pool(book, hello));
  TRY(check_slots(hello));
  TRY(check_what_it_holds(book, hello));
  return check_machine(book, hello, now);
}

// Told to a machine that was silent for so long that another one could take its id.
Status superseded(const AgentHello& hello) {
  return already_exists("agent ", hello.agent, " is now at ", hello.address)
      .with_hint("two machines share one data folder; give one of them a new data folder");
}

// Applies the whole truth about what the agent holds.
void hear_statuses(Step& step, AgentMemory& agent, const std::vector<AllocationStatus>& statuses) {
  std::set<AllocationId> strays;
  for (const AllocationStatus& status : statuses) {
    apply_status(step, agent.row.id, status);
    const bool over =
        status.phase == AllocationPhase::ended || status.phase == AllocationPhase::lost;
    const AllocationMemory* known = step.book.find(status.allocation);
    const bool ours =
        known != nullptr && std::any_of(known->row.nodes.begin(), known->row.nodes.end(),
                                        [&](const AllocationNode& node) {
                                          return node.agent == agent.row.id && !node.released;
                                        });
    if (!over && !ours) strays.insert(status.allocation);
  }
  if (strays == agent.strays) return;
  agent.strays = std::move(strays);
  step.book.must_schedule(agent.row.pool);
}

// Applies the whole truth about the health of its slots.
void hear_slot_faults(Step& step, const AgentId& id, const std::vector<SlotFault>& faults) {
  std::map<std::string, std::string> by_slot;
  for (const SlotFault& fault : faults) by_slot[fault.slot] = fault.reason;
  const std::vector<Slot>& known = step.book.find(id)->row.slots;
  const bool is_news = std::any_of(known.begin(), known.end(), [&](const Slot& slot) {
    return slot.fault != by_slot[slot.id];
  });
  if (!is_news) return;  // nearly every heartbeat
  for (Slot& slot : step.book.edit(id).slots) slot.fault = by_slot[slot.id];
  step.book.must_schedule(step.book.find(id)->row.pool);
}

void hear_word(AgentMemory& agent, Time now) {
  agent.last_word = now;
  agent.waited_for = true;
}

void write_hello(AgentRow& row, const AgentHello& hello) {
  row.id = hello.agent;
  row.machine_id = hello.machine_id;
  row.boot_id = hello.boot_id;
  row.name = hello.name;
  row.address = hello.address;
  row.pool = hello.pool;
  row.slots = hello.slots;
  row.version = hello.version;
  row.connected = true;
  row.forgotten = false;
}

}  // namespace

Status check_unchanged(const AgentRow& known, const AgentHello& hello) {
  constexpr const char* way_out = "start it as it was until what it runs has ended";
  if (known.pool != hello.pool) {
    return failed_precondition("agent ", hello.name, ": resource pool has changed from ",
                               known.pool, " to ", hello.pool)
        .with_hint(way_out);
  }
  if (ids_of(known.slots) == ids_of(hello.slots)) return {};
  return failed_precondition("agent ", hello.name, ": device count has changed: it had ",
                             known.slots.size(), " slots and comes back with ", hello.slots.size(),
                             known.slots.size() == hello.slots.size() ? " others" : "")
      .with_hint(way_out);
}

void join_agent(Step& step, const AgentJoined& event) {
  const AgentHello& hello = event.hello;
  if (Status refusal = check_hello(step.book, hello, step.now); !refusal.ok()) {
    step.effects.actions.push_back(RefuseAgent{.link = event.link, .reason = std::move(refusal)});
    return;
  }
  if (const AgentMemory* known = step.book.find(hello.agent)) {
    step.book.must_schedule(known->row.pool);
    const bool other_machine = known->row.machine_id != hello.machine_id;
    const bool rebooted = known->row.boot_id != hello.boot_id;
    if (other_machine && known->link != 0) {  // or it would wait on that link for ever
      step.effects.actions.push_back(RefuseAgent{.link = known->link, .reason = superseded(hello)});
    }
    if (other_machine || rebooted) {
      give_up_nodes(step, hello.agent,
                    cat("agent ", called(step.book, hello.agent),
                        other_machine ? " moved to another machine" : " was rebooted"));
    }
  } else {
    step.book.add(AgentMemory{.row = {.id = hello.agent, .joined_ms = to_ms(step.now)}});
  }
  write_hello(step.book.edit(hello.agent), hello);
  AgentMemory& agent = *step.book.find(hello.agent);
  agent.row.session = ++step.book.cluster.last_session;
  agent.link = event.link;
  hear_word(agent, step.now);
  agent.last_heartbeat = 0;
  agent.told.clear();
  agent.answer_to = 0;
  hear_statuses(step, agent, hello.allocations);
  step.book.agents_to_answer.insert(hello.agent);
  step.book.must_schedule(agent.row.pool);
}

void hear_agent(Step& step, const AgentSpoke& event) {
  const Heartbeat& heartbeat = event.heartbeat;
  AgentMemory* agent = step.book.find(heartbeat.agent);
  const bool is_current = agent != nullptr && agent->link == event.link && agent->link != 0 &&
                          agent->row.session == heartbeat.session;
  if (!is_current || heartbeat.number <= agent->last_heartbeat) return;  // stale
  agent->last_heartbeat = heartbeat.number;
  hear_word(*agent, step.now);
  hear_statuses(step, *agent, heartbeat.allocations);
  hear_slot_faults(step, heartbeat.agent, heartbeat.slot_faults);
  if (heartbeat.leaving) {
    give_up_nodes(step, heartbeat.agent,
                  cat("agent ", called(step.book, heartbeat.agent), " was shut down"));
    step.book.edit(heartbeat.agent).connected = false;
    agent->link = 0;
    step.book.must_schedule(agent->row.pool);
    return;
  }
  if (!agent->row.connected) {
    step.book.edit(heartbeat.agent).connected = true;
    step.book.must_schedule(agent->row.pool);
  }
  agent->answer_to = heartbeat.number;
  step.book.agents_to_answer.insert(heartbeat.agent);
}

void disconnect_agent(Step& step, const AgentDisconnected& event) {
  AgentMemory* agent = step.book.find(event.agent);
  if (agent == nullptr || agent->link != event.link || event.link == 0) return;
  agent->link = 0;
  step.book.edit(event.agent).connected = false;
  step.book.must_schedule(agent->row.pool);
}

Result<Value> forget_agent(Step& step, const AgentForgotten& event) {
  const AgentMemory* agent = step.book.find(event.agent);
  if (agent == nullptr) {
    return not_found("agent ", event.agent, " does not exist").with_hint("dtctl agent list");
  }
  if (agent->row.connected && agent->link != 0) {
    return failed_precondition("agent ", called(step.book, event.agent),
                               " is connected; only an agent that is gone can be forgotten")
        .with_hint("stop it first");
  }
  give_up_nodes(step, event.agent, cat("agent ", called(step.book, event.agent), " was forgotten"));
  AgentRow& row = step.book.edit(event.agent);
  row.forgotten = true;
  row.connected = false;
  step.book.must_schedule(row.pool);
  return Value(Value::Object{});
}

Time give_up_time(const Book& book, const AgentMemory& agent) {
  return agent.waited_for ? lease_end(book, agent) : never;
}

void give_up_silent_agents(Step& step) {
  for (auto& [id, agent] : step.book.agents) {
    if (step.now < give_up_time(step.book, agent)) continue;
    agent.waited_for = false;
    give_up_nodes(step, id, cat("agent ", called(step.book, id), " was silent for too long"));
    if (agent.row.connected) step.book.edit(id).connected = false;
    step.book.must_schedule(agent.row.pool);
  }
}

}  // namespace dt::core
