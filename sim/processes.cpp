#include "sim/processes.h"

#include <algorithm>

#include "sim/world.h"

namespace dt::sim {
namespace {

using core::AllocationNode;
using core::AllocationPhase;
using core::AllocationStatus;

// On one node: SIGTERM, 500 ms of grace, the kill's own time.
constexpr Duration peers_most{2'500};
// From the moment at which a shim must have killed: the kill's own time.
constexpr Duration kill_most{3'000};

}  // namespace

void Processes::node_ready(AllocationId allocation, int node_rank, int) {
  ready_[allocation].insert(node_rank);
}

void Processes::spawned(const Spawned& spawned, std::weak_ptr<Rank> rank) {
  world_.trace("node ", spawned.node, ": rank ", spawned.id.rank, " of ", spawned.id.allocation,
               " (trial ", spawned.trial, ") lives");
  slot_held_once(spawned);
  gang_was_ready(spawned);
  trained_once(spawned);
  live_[spawned.id] = {spawned.node, spawned.slot, spawned.trial, std::move(rank)};
  if (!spawned.slot.empty()) owners_[{spawned.node, spawned.slot}] = spawned.id.allocation;
  ++attempts_[spawned.trial][spawned.id.allocation];
}

void Processes::slot_held_once(const Spawned& spawned) {
  if (live_.contains(spawned.id)) {
    world_.fail(cat("P4: rank ", spawned.id.rank, " of allocation ", spawned.id.allocation,
                    " is started twice"));
  }
  const auto owner = owners_.find({spawned.node, spawned.slot});
  if (owner == owners_.end()) return;
  world_.fail(cat("P2: slot ", spawned.slot, " of node ", spawned.node, " is held by allocations ",
                  owner->second, " and ", spawned.id.allocation));
}

void Processes::gang_was_ready(const Spawned& spawned) {
  const AllocationId id = spawned.id.allocation;
  const auto& rows = world_.database.rows().allocations;
  const auto row = rows.find(id);
  const auto nodes = row == rows.end() ? 0 : std::ssize(row->second.nodes);
  const auto missing = nodes - std::ssize(ready_[id]);
  if (row != rows.end() && missing <= 0) return;
  world_.fail(cat("P3: rank ", spawned.id.rank, " of allocation ", id, " begins, but ", missing,
                  " nodes were never ready"));
}

void Processes::trained_once(const Spawned& spawned) {
  const auto attempts = attempts_.find(spawned.trial);
  if (attempts == attempts_.end()) return;
  for (const auto& [allocation, ranks] : attempts->second) {
    if (allocation == spawned.id.allocation) continue;
    // A rank that hangs in the kernel trains nothing.
    const auto first = live_.lower_bound({allocation, 0});
    for (auto it = first; it != live_.end() && it->first.allocation == allocation; ++it) {
      if (is_hanging(it->second)) continue;
      world_.fail(cat("P4: trial ", spawned.trial, " runs on allocations ", allocation, " and ",
                      spawned.id.allocation));
    }
  }
}

bool Processes::is_hanging(const Live& live) const {
  const auto rank = live.rank.lock();
  return rank && rank->is_hanging();
}

// P2: what the master gives to others next is not in use: after an end, and after a silence too.
void Processes::released(const core::AllocationRow& row) {
  for (const AllocationNode& node : row.nodes) {
    if (!node.released) continue;
    for (int i = 0; i < std::max<int>(static_cast<int>(node.slot_ids.size()), 1); ++i) {
      const auto live = live_.find({row.id, node.first_rank + i});
      if (live == live_.end() || (node.given_up && is_hanging(live->second))) continue;
      world_.fail(cat("P2: the slots of allocation ", row.id, " on node ", live->second.node,
                      " are free to the master, but its rank ", live->first.rank, " lives"));
    }
  }
}

bool Processes::any_lives(AllocationId allocation) const {
  const auto first = live_.lower_bound({allocation, 0});
  return first != live_.end() && first->first.allocation == allocation;
}

void Processes::ended(const Node& node, const RankId& id, int code) {
  world_.trace("node ", node.index(), ": rank ", id.rank, " of ", id.allocation, " ends with ",
               code);
  const auto live = live_.find(id);
  if (live == live_.end()) return;
  owners_.erase({live->second.node, live->second.slot});
  auto& attempts = attempts_[live->second.trial];
  if (--attempts[id.allocation] == 0) attempts.erase(id.allocation);
  if (attempts.empty()) attempts_.erase(live->second.trial);
  live_.erase(live);
  hung_.erase(id);
  if (code == 0 || code == 75 || !any_lives(id.allocation)) return;
  const Time since = world_.queue.now();
  world_.queue.after(peers_most, [this, number = node.index(), allocation = id.allocation, since] {
    peers_end(number, allocation, since);
  });
}

// A rank that ended as it was ordered to leaves its peers alone; all other ends, and a killed shim,
// end the gang.
bool Processes::ends_its_gang(int node, AllocationId allocation) const {
  const auto& shims = world_.nodes[static_cast<std::size_t>(node)]->shims;
  const auto shim = shims.find(allocation);
  if (shim == shims.end()) return true;
  const AllocationStatus status = shim->second->status();
  if (!shim->second->is_alive() && status.phase != AllocationPhase::ended) return true;
  return std::any_of(status.exits.begin(), status.exits.end(), core::shim::is_failure);
}

// On the node of the dead rank always; elsewhere once the world is calm for long enough.
void Processes::peers_end(int node, AllocationId allocation, Time since) {
  if (!any_lives(allocation) || !ends_its_gang(node, allocation)) return;
  const Duration bound = world_.lease() * 2 + Duration(120'000);
  const bool overdue = world_.queue.now() >= std::max(since, world_.last_fault()) + bound;
  const auto first = live_.lower_bound({allocation, 0});
  for (auto it = first; it != live_.end() && it->first.allocation == allocation; ++it) {
    const auto& [id, live] = *it;
    const bool waits = is_hanging(live) || hung_.contains(id);
    if (waits || (live.node != node && !overdue)) continue;
    return world_.fail(cat("P3: rank ", id.rank, " of allocation ", allocation, " lives on node ",
                           live.node, " though a rank on node ", node,
                           " died at t=", world_.seconds(since)));
  }
  world_.queue.after(Duration(10'000),
                     [this, node, allocation, since] { peers_end(node, allocation, since); });
}

// P4: what the agent calls over has no process left.
void Processes::agent_says(const Node& node, const std::vector<AllocationStatus>& statuses) {
  for (const AllocationStatus& status : statuses) {
    if (status.phase < AllocationPhase::ended) continue;
    const auto first = live_.lower_bound({status.allocation, 0});
    for (auto it = first; it != live_.end() && it->first.allocation == status.allocation; ++it) {
      if (it->second.node != node.index()) continue;
      world_.fail(cat("P4: rank ", it->first.rank, " of allocation ", status.allocation,
                      " lives, but its agent says ", core::to_text(status.phase)));
    }
  }
}

void Processes::sweep() {
  for (const auto& [id, live] : live_) ends_in_time(id, live);
}

// P4: no rank lives past the end that its shim was ordered or its lease set.
void Processes::ends_in_time(const RankId& id, const Live& live) {
  const auto& shims = world_.nodes[static_cast<std::size_t>(live.node)]->shims;
  const auto shim = shims.find(id.allocation);
  const bool kept = shim != shims.end() && shim->second->is_alive();
  if (is_hanging(live)) {
    hung_[id] = world_.queue.now();
    return;
  }
  const auto hung = hung_.find(id);
  const Time free = hung == hung_.end() ? Time::min() : hung->second + Duration(5'000);
  if (!kept || world_.queue.now() <= free) return;
  const Time end = shim->second->must_end_at();
  if (end == never || world_.queue.now() <= end + kill_most) return;
  world_.fail(cat("P4: rank ", id.rank, " of allocation ", id.allocation, " lives on node ",
                  live.node, ", but had to end at t=", world_.seconds(end)));
}

}  // namespace dt::sim
