#include "sim/chaos.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/world.h"

namespace dt::sim {
namespace {

constexpr std::array<const char*, fault_kinds> names{
    "cut",         "stall",          "lost calls", "agent crash",    "agent leaves",
    "shim kill",   "rank kill",      "power loss", "slow disk",      "master crash",
    "no database", "commit unknown", "slow rank",  "rank reconnects"};

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
  const std::int64_t lease = std::max<std::int64_t>(world_.options.lease.count(), 20'000);
  const Duration time(world_.dice.chance(50) ? world_.dice.between(500, lease / 2)
                                             : world_.dice.between(lease / 2, lease * 2 + 40'000));
  lasts(time);
  return time;
}

Node& Chaos::any_node() {
  return *world_.nodes[static_cast<std::size_t>(world_.dice.between(0, node_count - 1))];
}

std::shared_ptr<Shim> Chaos::any_shim(Node& node) {
  std::vector<std::shared_ptr<Shim>> living;
  for (const auto& [id, shim] : node.shims) {
    if (shim->is_alive()) living.push_back(shim);
  }
  if (living.empty()) return nullptr;
  return living[static_cast<std::size_t>(world_.dice.between(0, std::int64_t(living.size()) - 1))];
}

std::shared_ptr<Rank> Chaos::any_rank(Node& node) {
  const std::shared_ptr<Shim> shim = any_shim(node);
  if (!shim || shim->ranks().empty()) return nullptr;
  auto rank = shim->ranks().begin();
  std::advance(rank, world_.dice.between(0, std::int64_t(shim->ranks().size()) - 1));
  return rank->second->is_alive() ? rank->second : nullptr;
}

void Chaos::strike(Fault fault) {
  Node& node = any_node();
  lasts(Duration(0));
  world_.trace("fault: ", names[static_cast<std::size_t>(fault)], " at node ", node.index());
  switch (fault) {
    case Fault::cut: return cut(world_.dice.chance(15) ? Network::people : node.index());
    case Fault::stall: return stall(node.index());
    case Fault::lost_calls: return lose_calls(node.index());
    case Fault::agent_crash: return crash_agent(node);
    case Fault::agent_leaves: return agent_leaves(node);
    case Fault::shim_kill:
      if (const auto shim = any_shim(node)) shim->kill(true);
      return;
    case Fault::rank_kill:
      if (const auto rank = any_rank(node))
        world_.dice.chance(50) ? rank->die(137, 9) : rank->die(1, 0);
      return;
    case Fault::power_loss: return lose_power(node);
    case Fault::slow_disk: return slow_disk(node);
    case Fault::master_crash: return crash_master();
    case Fault::database_away: return lose_database();
    case Fault::commit_unknown: {
      using Accident = MasterProcess::Accident;
      return world_.master.have_accident(world_.dice.chance(50) ? Accident::unknown_written
                                                                : Accident::unknown_lost);
    }
    case Fault::slow_rank:
      if (const auto rank = any_rank(node)) {
        rank->slow_down(Duration(world_.dice.between(5'000, 60'000)));
      }
      return;
    case Fault::rank_reconnects:
      if (const auto rank = any_rank(node)) rank->reconnect();
      return;
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
  const Duration away = world_.options.lease + Duration(world_.dice.between(10'000, 90'000));
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

void Chaos::lose_power(Node& node) {
  node.lose_power();
  world_.queue.after(outage(), [&node] { node.gain_power(); });
}

void Chaos::slow_disk(Node& node) {
  const Duration time(world_.dice.between(3'000, 40'000));
  lasts(time);
  node.slow_disk(world_.queue.now() + time);
  if (world_.dice.chance(40)) return;
  world_.queue.after(Duration(world_.dice.between(1'000, time.count())), [this, &node] {
    if (world_.is_stormy()) lose_power(node);
  });
}

void Chaos::crash_master() {
  using Accident = MasterProcess::Accident;
  switch (world_.dice.between(0, 2)) {
    case 0: return world_.master_dies();
    case 1: return world_.master.have_accident(Accident::dies_before);
    default: return world_.master.have_accident(Accident::dies_after);
  }
}

void Chaos::lose_database() { world_.master.lose_database(world_.queue.now() + outage() / 4); }

}  // namespace dt::sim
