#include "sim/chaos.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/world.h"

namespace dt::sim {
namespace {

using core::AllocationNode;
using core::AllocationRow;
using core::AllocationState;

bool is_on(const AllocationRow& row, const AgentId& agent) {
  return std::any_of(row.nodes.begin(), row.nodes.end(),
                     [&](const AllocationNode& node) { return node.agent == agent; });
}

}  // namespace

void Chaos::begin() { plan_next(); }

void Chaos::plan_next() {
  const auto mean = world_.options.mean_gap.count();
  world_.queue.after(Duration(world_.dice.between(mean / 10, mean * 2)), [this] {
    if (!world_.is_stormy()) return;
    strike(draw());
    plan_next();
  });
}

Fault Chaos::draw() {
  std::int64_t sum = 0;
  for (const int weight : world_.options.weights) sum += weight;
  std::int64_t left = world_.dice.between(1, sum);
  for (int i = 0; i < fault_kinds; ++i) {
    left -= world_.options.weights[static_cast<std::size_t>(i)];
    if (left <= 0) return static_cast<Fault>(i);
  }
  return Fault::cut;
}

void Chaos::lasts(Duration duration) {
  last_fault_ = std::max(last_fault_, world_.queue.now() + duration);
}

Duration Chaos::outage() {
  const std::int64_t lease = std::max<std::int64_t>(world_.lease().count(), 20'000);
  const Duration time(world_.dice.chance(50) ? world_.dice.between(500, lease / 2)
                                             : world_.dice.between(lease / 2, lease * 2 + 40'000));
  lasts(time);
  return time;
}

// Victims.

Node& Chaos::any_node() {
  const auto count = static_cast<std::int64_t>(world_.options.scale.agents);
  return *world_.nodes[static_cast<std::size_t>(world_.dice.between(0, count - 1))];
}

Chaos::Victim Chaos::draw_victim(bool with_ranks) {
  if (!world_.dice.chance(with_ranks ? 85 : 50)) return {&any_node(), {}};
  const LifeState first = with_ranks ? LifeState::starting : LifeState::preparing;
  const LifeState last = with_ranks ? LifeState::killing : LifeState::settling;
  const auto wanted =
      static_cast<LifeState>(world_.dice.between(static_cast<int>(first), static_cast<int>(last)));
  std::vector<const AllocationRow*> found;
  for (const auto& [id, row] : world_.database.rows().allocations) {
    if (row.state != AllocationState::ended && state_of(row) == wanted) found.push_back(&row);
  }
  if (found.empty()) return {&any_node(), {}};
  const AllocationRow& row = *found[static_cast<std::size_t>(
      world_.dice.between(0, static_cast<std::int64_t>(found.size()) - 1))];
  const AllocationNode& part = row.nodes[static_cast<std::size_t>(
      world_.dice.between(0, static_cast<std::int64_t>(row.nodes.size()) - 1))];
  for (const auto& node : world_.nodes) {
    if (node->has_power() && node->agent_id() == part.agent) return {node.get(), row.id};
  }
  return {&any_node(), {}};
}

std::shared_ptr<Shim> Chaos::shim_of(const Victim& victim) {
  std::vector<std::shared_ptr<Shim>> living;
  for (const auto& [id, shim] : victim.node->shims) {
    if (!shim->is_alive()) continue;
    if (id == victim.allocation) return shim;
    living.push_back(shim);
  }
  if (living.empty()) return nullptr;
  return living[static_cast<std::size_t>(world_.dice.between(0, std::ssize(living) - 1))];
}

std::shared_ptr<Rank> Chaos::rank_of(const Victim& victim) {
  const std::shared_ptr<Shim> shim = shim_of(victim);
  if (!shim || shim->ranks().empty()) return nullptr;
  auto rank = shim->ranks().begin();
  std::advance(rank, world_.dice.between(0, std::ssize(shim->ranks()) - 1));
  if (!rank->second->is_alive()) return nullptr;
  return rank->second;
}

// What is on the node, or, without one, everything.
void Chaos::count(Fault fault, const Node* node) {
  for (const auto& [id, row] : world_.database.rows().allocations) {
    if (row.state == AllocationState::ended) continue;
    if (node == nullptr || is_on(row, node->agent_id())) world_.coverage.hit(fault, state_of(row));
  }
  if (node != nullptr) return;
  for (const auto& [id, row] : world_.database.rows().trials) {
    if (row.state == core::TrialState::paused) world_.coverage.hit(fault, LifeState::paused);
    const bool active = row.state == core::TrialState::active && world_.master.is_up();
    if (active && !world_.master.brain().why_waiting(id).empty()) {
      world_.coverage.hit(fault, LifeState::queued);
    }
  }
}

// Faults.

void Chaos::strike(Fault fault) {
  lasts(Duration(0));
  if (fault >= Fault::master_crash) {
    world_.trace("fault: ", to_text(fault));
    count(fault, nullptr);
    return strike_master(fault);
  }
  const bool of_rank = fault >= Fault::shim_kill && fault <= Fault::rank_unkillable;
  const Victim victim = draw_victim(of_rank);
  world_.trace("fault: ", to_text(fault), " at node ", victim.node->index());
  if (of_rank) return strike_rank(fault, victim);
  count(fault, victim.node);
  strike_node(fault, victim);
}

void Chaos::strike_master(Fault fault) {
  using Accident = MasterProcess::Accident;
  const Time now = world_.queue.now();
  switch (fault) {
    case Fault::master_stopped: return world_.master.stop(now + outage());
    case Fault::database_away: return world_.master.lose_database(now + outage() / 4);
    case Fault::database_slow: return world_.master.slow_database(now + outage());
    case Fault::commit_unknown:
      return world_.master.have_accident(world_.dice.chance(50) ? Accident::unknown_written
                                                                : Accident::unknown_lost);
    case Fault::clock_jump: return jump_clock();
    default: return crash_master();
  }
}

void Chaos::strike_node(Fault fault, const Victim& victim) {
  Node& node = *victim.node;
  switch (fault) {
    case Fault::cut: return cut(world_.dice.chance(5) ? world_.network.people() : node.index());
    case Fault::stall: return stall(node.index());
    case Fault::lost_calls: return lose_calls(node.index());
    case Fault::agent_crash: return crash_agent(node);
    case Fault::agent_leaves: return agent_leaves(node);
    case Fault::agent_stopped: return node.stop_agent(world_.queue.now() + outage());
    case Fault::agent_twin: return agent_has_twin(node);
    case Fault::agent_forgotten: return agent_is_forgotten(node);
    case Fault::slow_disk: return slow_disk(node);
    case Fault::slot_fault: return slot_fails(node);
    default: return lose_power(node, outage());
  }
}

void Chaos::strike_rank(Fault fault, const Victim& victim) {
  const std::shared_ptr<Shim> shim = shim_of(victim);
  const std::shared_ptr<Rank> rank = rank_of(victim);
  const bool at_shim = fault == Fault::shim_kill;
  if (at_shim ? shim == nullptr : rank == nullptr) return;
  const auto row =
      world_.database.rows().allocations.find(at_shim ? shim->allocation() : rank->allocation());
  const bool open = row != world_.database.rows().allocations.end() &&
                    row->second.state < AllocationState::settling;
  if (open) world_.coverage.hit(fault, state_of(row->second));
  switch (fault) {
    case Fault::shim_kill: return shim->kill();
    case Fault::rank_kill: return world_.dice.chance(50) ? rank->die(137, 9) : rank->die(1, 0);
    case Fault::rank_reconnects: return rank->reconnect();
    case Fault::rank_unkillable: return rank->hang(world_.queue.now() + outage());
    default: return rank->slow_down(Duration(world_.dice.between(5'000, 60'000)));
  }
}

void Chaos::cut(int wire) {
  const Time until = world_.queue.now() + outage();
  const std::int64_t ways = world_.dice.between(1, 4);  // up, down, both, both
  if (ways != 2) world_.network.cut(wire, Way::up, until);
  if (ways != 1) world_.network.cut(wire, Way::down, until);
}

// The master's words arrive late, and then the wire is cut for longer than the lease: whoever
// counts the lease from the arrival of a word has it for too long.
void Chaos::stall(int wire) {
  const Time start = world_.queue.now();
  const Duration slowness(world_.dice.between(10'000, 80'000));
  const Duration time(world_.dice.between(20'000, 90'000));
  const Way way = world_.dice.chance(85) ? Way::down : Way::up;
  world_.network.slow_down(wire, way, slowness, start + time);
  lasts(time + slowness);
  if (world_.dice.chance(20)) return;
  const Duration away = world_.lease() + Duration(world_.dice.between(10'000, 90'000));
  lasts(time + away);
  world_.queue.after(time, [this, wire, away] {
    if (!world_.is_stormy()) return;
    const Time until = world_.queue.now() + away;
    world_.network.cut(wire, Way::up, until);
    // What is on its way down may still arrive.
    const Duration later(world_.dice.between(0, 240'000));
    world_.queue.after(later, [this, wire, until] {
      if (world_.is_stormy()) world_.network.cut(wire, Way::down, until);
    });
  });
}

void Chaos::lose_calls(int wire) {
  const Duration time(world_.dice.between(10'000, 120'000));
  lasts(time);
  world_.network.lose_calls(wire, static_cast<int>(world_.dice.between(20, 80)),
                            world_.queue.now() + time);
}

void Chaos::crash_agent(Node& node) {
  node.crash_agent();
  world_.queue.after(outage(), [&node] { node.start_agent(); });
}

void Chaos::agent_leaves(Node& node) {
  node.shut_down_agent();
  const Duration away = Duration(60'000) + outage();
  lasts(away);
  world_.queue.after(away, [&node] {
    node.crash_agent();  // if it still waits
    node.start_agent();
  });
}

void Chaos::lose_power(Node& node, Duration time) {
  lasts(time);
  node.lose_power();
  world_.queue.after(time, [&node] { node.gain_power(); });
}

// Only of a machine that is off: people look before they say so.
void Chaos::agent_is_forgotten(Node& node) {
  const Duration time(world_.dice.between(60'000, 400'000));
  lose_power(node, time);
  const Duration look(world_.dice.between(1'000, time.count() - 20'000));
  world_.queue.after(look, [this, &node] {
    if (!node.has_power()) world_.people.forget_agent(node.agent_id());
  });
}

// A data folder was copied: two machines are one agent, until people see it and scrap the copy.
void Chaos::agent_has_twin(Node& node) {
  Node& twin = *world_.nodes.back();
  if (world_.options.twins == 0 || twin.has_power()) return;
  twin.become_twin_of(node);
  const Duration time(world_.dice.between(5'000, 200'000));
  lasts(time + world_.lease() * 2);
  world_.queue.after(time, [&twin] { twin.scrap(); });
}

void Chaos::slow_disk(Node& node) {
  const Duration time(world_.dice.between(3'000, 40'000));
  lasts(time);
  node.slow_disk(world_.queue.now() + time);
  if (world_.dice.chance(40)) return;
  world_.queue.after(Duration(world_.dice.between(1'000, time.count())), [this, &node] {
    if (world_.is_stormy()) lose_power(node, outage());
  });
}

void Chaos::slot_fails(Node& node) {
  const auto slots = static_cast<std::int64_t>(node.shape().slots);
  const std::string slot = cat("cpu", world_.dice.between(0, slots - 1));
  node.find_faults({{slot, "it fell off the bus"}});
  const Duration time(world_.dice.between(5'000, 300'000));
  world_.queue.after(time, [&node] { node.find_faults({}); });
}

void Chaos::crash_master() {
  using Accident = MasterProcess::Accident;
  switch (world_.dice.between(0, 2)) {
    case 0: return world_.master_dies();
    case 1: return world_.master.have_accident(Accident::dies_before);
    default: return world_.master.have_accident(Accident::dies_after);
  }
}

void Chaos::jump_clock() {
  world_.master.set_wall_clock(Duration(world_.dice.between(-7'200'000, 7'200'000)));
  world_.master_dies();
}

}  // namespace dt::sim
