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
  note_deadline(event);
  Actions actions = brain_.step(node_.now(), event);
  for (Action& action : actions) {
    std::visit([this](auto& one) { perform(one); }, action);
  }
}

// Only its own deadlines and orders count here; that the master gives them is checked elsewhere.
void Shim::note_deadline(const Event& event) {
  const Time now = world_.queue.now();
  const auto by = [&](Time time) { orders_end_at_ = std::min(orders_end_at_, time); };
  if (const auto* preempt = std::get_if<PreemptOrdered>(&event)) by(now + preempt->left);
  if (std::holds_alternative<StopOrdered>(event)) by(now + core::kill_grace);
  if (std::holds_alternative<KillOrdered>(event)) by(now);
  const auto* lease = std::get_if<LeaseExtended>(&event);
  if (lease == nullptr || now >= lease_end_at_) return;
  lease_end_at_ = lease->deadline == never ? never : node_.to_world(lease->deadline);
}

Time Shim::must_end_at() const {
  const Time lease_end = lease_end_at_ == never ? never : lease_end_at_ + core::kill_grace;
  return std::min(orders_end_at_, lease_end);
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
void Shim::kill() {
  if (!alive_) return;
  alive_ = false;
  world_.trace("node ", node_.index(), ": the shim of ", allocation_, " is killed");
  for (const auto& [number, rank] : ranks_) rank->signalled(signal_kill);
  node_.shim_is_gone(allocation_);
}

void Shim::lose_power() {
  alive_ = false;
  for (const auto& [number, rank] : ranks_) rank->lose_power();
}

void Shim::perform(const RunPrepare&) {
  const int user_fault = world_.people.program_of(assignment_).build_fails_percent;
  const Duration time(world_.dice.between(50, 4'000));
  if (user_fault > 0 && world_.dice.chance(user_fault)) {
    return later(time, PrepareEnded{.code = 2, .reason = "a syntax error"});
  }
  const bool fails = world_.is_stormy() && world_.dice.chance(2);
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
      {node_.index(), rank->slot(), {allocation_, action.rank}, assignment_.trial}, rank);
  rank->begin();
  later(Duration(2), RankSpawned{action.rank});
}

void Shim::perform(Append& action) {
  core::Record& record = action.record;
  record.time_ms = to_ms(world_.queue.now());
  world_.checkers.appended(allocation_, record);
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
  world_.checkers.acknowledged({allocation_, action.rank}, action.rank_seq,
                               node_.disk.folders.at(allocation_).spool);
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
    self->end_tree();
  });
}

// Whoever hangs in the kernel is waited for.
void Shim::end_tree() {
  if (!has_live_rank()) return later(Duration(20), TreeEnded{});
  world_.queue.after(Duration(1'000), [self = shared_from_this()] {
    if (self->alive_) self->end_tree();
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
