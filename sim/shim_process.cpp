#include "sim/shim_process.h"

#include <algorithm>
#include <utility>

#include "sim/world.h"

namespace dt::sim {

using namespace core::shim;  // NOLINT: the brain's events and actions are this file's words

namespace {

core::shim::Options options_of(const Node& node, AllocationId allocation,
                               const core::Assignment& assignment) {
  core::shim::Options options{.allocation = allocation,
                              .node_rank = assignment.node_rank,
                              .ranks = {},
                              .has_prepare = true,
                              .binds_port = assignment.first_rank == 0,
                              .address = node.address()};
  const int ranks = std::max(1, static_cast<int>(assignment.slot_ids.size()));
  for (int i = 0; i < ranks; ++i) options.ranks.push_back(assignment.first_rank + i);
  return options;
}

}  // namespace

Shim::Shim(World& world, Node& node, AllocationId allocation, const core::Assignment& assignment)
    : world_(world),
      node_(node),
      allocation_(allocation),
      assignment_(assignment),
      brain_(options_of(node, allocation, assignment)) {}

void Shim::open() { hear(Opened{}); }

void Shim::hear(const Event& event) {
  if (!alive_) return;
  for (const Action& action : brain_.step(node_.now(), event)) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
}

void Shim::later(Duration delay, Event event) {
  world_.queue.after(delay,
                     [self = shared_from_this(), event = std::move(event)] { self->hear(event); });
}

bool Shim::has_live_rank() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const auto& entry) { return entry.second->is_alive(); });
}

// Its ranks die with it, by the kernel's hand.
void Shim::kill(bool tells_agent) {
  if (!alive_) return;
  alive_ = false;
  world_.trace("node ", node_.index(), ": the shim of ", allocation_, " is killed");
  for (const auto& [number, rank] : ranks_) rank->die(128 + signal_kill, signal_kill);
  if (tells_agent) node_.shim_is_gone(allocation_);
}

void Shim::perform(const RunPrepare&) {
  const bool fails = world_.is_stormy() && world_.dice.chance(2);
  const Duration time(world_.dice.between(50, 4'000));
  later(time, fails ? PrepareEnded{.code = 1, .reason = "no compiler", .infrastructure = true}
                    : PrepareEnded{});
}

void Shim::perform(const BindPort&) {
  if (world_.is_stormy() && world_.dice.chance(2)) {
    return later(Duration(3), PortFailed{"the port is taken"});
  }
  later(Duration(3), PortBound{static_cast<int>(world_.dice.between(20'000, 60'000))});
}

void Shim::perform(const SpawnRank& action) {
  auto rank = std::make_shared<Rank>(world_, node_, weak_from_this(), allocation_, assignment_,
                                     action.rank);
  ranks_[action.rank] = rank;
  world_.checkers.rank_spawned(
      {node_.index(), rank->slot(), {allocation_, action.rank}, assignment_.trial});
  rank->begin();
  later(Duration(2), RankSpawned{action.rank});
}

void Shim::perform(const Append& action) {
  core::Record record = action.record;
  record.time_ms = to_ms(world_.queue.now());
  if (record.rank_seq > 0) {
    world_.checkers.appended({allocation_, record.stream}, record.rank_seq, record.seq);
  }
  node_.disk.folders.at(allocation_).spool.append(std::move(record));
}

void Shim::perform(const Sync&) {
  if (std::exchange(syncing_, true)) {
    sync_again_ = true;
    return;
  }
  const std::int64_t count = node_.disk.folders.at(allocation_).spool.appended();
  world_.queue.after(node_.sync_time(), [self = shared_from_this(), count] {
    if (!self->alive_) return;
    self->node_.disk.folders.at(self->allocation_).spool.synced(count);
    self->syncing_ = false;
    self->hear(Synced{count});
    if (self->alive_) self->node_.shim_said(self->allocation_, false);
    if (self->alive_ && std::exchange(self->sync_again_, false)) self->perform(Sync{});
  });
}

void Shim::perform(const Acknowledge& action) {
  world_.checkers.acknowledged({allocation_, action.rank}, action.rank_seq);
  world_.queue.after(Duration(1), [self = shared_from_this(), action] {
    const auto rank = self->ranks_.find(action.rank);
    if (rank != self->ranks_.end()) rank->second->acknowledged(action.rank_seq);
  });
}

void Shim::to_rank(int rank, void (Rank::*tell)()) {
  world_.queue.after(Duration(1), [self = shared_from_this(), rank, tell] {
    const auto found = self->ranks_.find(rank);
    if (found != self->ranks_.end()) (found->second.get()->*tell)();
  });
}

void Shim::perform(const TellPreempt& action) { to_rank(action.rank, &Rank::told_preempt); }
void Shim::perform(const TellStop& action) { to_rank(action.rank, &Rank::told_stop); }

void Shim::perform(const SignalRank& action) {
  const auto found = ranks_.find(action.rank);
  if (found != ranks_.end()) found->second->signalled(action.signal);
}

void Shim::perform(const KillTree&) {
  world_.queue.after(Duration(world_.dice.between(1, 200)), [self = shared_from_this()] {
    if (!self->alive_) return;
    for (const auto& [number, rank] : self->ranks_) rank->signalled(signal_kill);
    self->later(Duration(20), TreeEnded{});
  });
}

void Shim::perform(const ReportStatus&) {
  Folder& folder = node_.disk.folders.at(allocation_);
  folder.state = brain_.status();
  folder.has_state = true;
  if (folder.state.phase >= core::AllocationPhase::ready) {
    world_.checkers.node_ready(allocation_, assignment_.node_rank, assignment_.nodes);
  }
  node_.shim_said(allocation_, false);
}

void Shim::perform(const WakeAt& action) {
  world_.queue.at(node_.to_world(action.time), [self = shared_from_this()] { self->hear(Woke{}); });
}

void Shim::perform(const Finish&) {
  alive_ = false;
  world_.trace("node ", node_.index(), ": the shim of ", allocation_, " has finished");
}

}  // namespace dt::sim
