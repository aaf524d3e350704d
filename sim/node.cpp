#include "sim/node.h"

#include <utility>

#include "sim/world.h"

namespace dt::sim {

using namespace core::relay;  // NOLINT: the brain's events and actions are this file's words

namespace {

constexpr Duration after_boot{1'000};  // a clock never starts at zero

}  // namespace

Node::Node(World& world, int index, NodeShape shape)
    : world_(world),
      index_(index),
      agent_number_(index),
      shape_(std::move(shape)),
      booted_at_(world.queue.now()) {}

Time Node::now() const { return Time(world_.queue.now() - booted_at_ + after_boot); }

Time Node::to_world(Time boot) const { return booted_at_ + (boot.time_since_epoch() - after_boot); }

Duration Node::sync_time() {
  if (world_.queue.now() < slow_disk_until_) return Duration(world_.dice.between(2'000, 15'000));
  return Duration(world_.dice.between(2, 50));
}

// Life and death.

void Node::start_agent() {
  if (!powered_ || brain_) return;
  ++agent_life_;
  world_.trace("node ", index_, ": the agent starts");
  brain_.emplace(core::relay::Options{.agent = agent_id(),
                                      .cluster_id = disk.cluster_id,
                                      .cluster_epoch = disk.cluster_epoch,
                                      .batch_seen = disk.batch_seen,
                                      .keep_acknowledged = world_.options.keep_acknowledged});
  reattach();
  if (!faults_.empty()) hear(SlotsChecked{faults_});
  connect_soon();
}

void Node::reattach() {
  for (auto it = disk.folders.begin(); it != disk.folders.end();) {
    const AllocationId id = it->first;
    const auto shim = shims.find(id);
    const bool lives = shim != shims.end() && shim->second->is_alive();
    if (!lives && !it->second.has_state) {  // its shim never began
      it = disk.folders.erase(it);
      continue;
    }
    core::AllocationStatus status = it->second.state;
    status.allocation = id;
    hear(Reattached{status, it->second.marks});
    if (lives) {
      shim_said(id, true);
    } else if (status.phase != core::AllocationPhase::ended) {
      later(Duration(world_.dice.between(1, 100)), ShimGone{id});
    }
    ++it;
  }
}

void Node::crash_agent() {
  if (!brain_) return;
  world_.trace("node ", index_, ": the agent dies");
  stopped_until_ = Time::min();
  unheard_.clear();
  brain_.reset();
  fetching_.clear();
  watched_.clear();
  if (link_) world_.network.close(link_);
  link_.reset();
}

bool Node::is_agent_stopped() const { return world_.queue.now() < stopped_until_; }

void Node::stop_agent(Time until) {
  if (!brain_) return;
  world_.trace("node ", index_, ": the agent is stopped");
  stopped_until_ = std::max(stopped_until_, until);
}

void Node::shut_down_agent() {
  if (!brain_) return;
  world_.trace("node ", index_, ": the agent is shut down");
  hear(ShutdownOrdered{});
}

void Node::lose_power() {
  if (!powered_) return;
  world_.trace("node ", index_, ": power is lost");
  powered_ = false;
  crash_agent();
  for (const auto& [id, shim] : shims) shim->lose_power();
  shims.clear();
  for (auto& [id, folder] : disk.folders) folder.spool.lose_unsynced();
}

void Node::gain_power() {
  if (powered_ || scrapped_) return;
  world_.trace("node ", index_, ": power is back");
  powered_ = true;
  ++boot_;
  booted_at_ = world_.queue.now();
  start_agent();
}

// What its watch over the slots says now, and again to every later life of the agent.
void Node::find_faults(std::vector<core::SlotFault> faults) {
  faults_ = std::move(faults);
  if (brain_) hear(SlotsChecked{faults_});
}

void Node::heal() {
  find_faults({});
  slow_disk_until_ = Time::min();
  gain_power();
  start_agent();
}

void Node::become_twin_of(const Node& other) {
  agent_number_ = other.agent_number_;
  shape_ = other.shape_;
  disk.cluster_id = other.disk.cluster_id;
  disk.cluster_epoch = other.disk.cluster_epoch;
  disk.batch_seen = other.disk.batch_seen;
  world_.trace("node ", index_, ": has the data folder of ", agent_id());
  scrapped_ = false;
  gain_power();
}

void Node::scrap() {
  lose_power();
  scrapped_ = true;
  world_.checkers.scrapped(*this);
  disk = Disk();
}

bool Node::is_settled() const {
  if (scrapped_) return true;
  for (const auto& [id, folder] : disk.folders) {
    core::Marks marks = world_.database.marks(id);
    for (const core::Record& record : folder.spool.records()) {
      if (record.seq > marks[record.stream]) return false;
    }
  }
  for (const auto& [id, shim] : shims) {
    if (shim->is_alive()) return false;
  }
  return powered_ && brain_.has_value();
}

// The agent's ears.

void Node::hear(Event event) {
  if (!brain_) return;
  if (unheard_.empty() && !is_agent_stopped()) return step(event);
  unheard_.push_back(std::move(event));
  if (unheard_.size() == 1) wake();
}

// What came meanwhile is heard in its order, when the agent goes on.
void Node::wake() {
  if (is_agent_stopped()) {
    return world_.queue.at(stopped_until_, [this, life = agent_life_] {
      if (brain_ && life == agent_life_) wake();
    });
  }
  while (brain_ && !unheard_.empty()) {
    const Event event = std::move(unheard_.front());
    unheard_.pop_front();
    step(event);
  }
}

void Node::step(const Event& event) {
  Actions actions = brain_->step(now(), event);
  keep_marks(event);
  world_.checkers.agent_stepped(*this, event, actions);
  const int life = agent_life_;
  for (Action& action : actions) {
    if (!brain_ || life != agent_life_) return;
    std::visit([this](auto& one) { perform(one); }, action);
  }
}

void Node::keep_marks(const Event& event) {
  const auto* acknowledged = std::get_if<Acknowledged>(&event);
  const auto* named = std::get_if<MarksNamed>(&event);
  if (acknowledged == nullptr && named == nullptr) return;
  const AllocationId id = acknowledged != nullptr ? acknowledged->allocation : named->allocation;
  const auto folder = disk.folders.find(id);
  const core::Marks* marks = brain_->marks(id);
  if (folder != disk.folders.end() && marks != nullptr) folder->second.marks = *marks;
}

void Node::later(Duration delay, Event event) {
  world_.queue.after(delay, [this, life = agent_life_, event = std::move(event)]() mutable {
    if (brain_ && life == agent_life_) hear(std::move(event));
  });
}

void Node::shim_said(AllocationId allocation, bool first) {
  if (!brain_) return;
  if (first) watched_.insert(allocation);
  if (!watched_.contains(allocation)) return;
  const auto shim = shims.find(allocation);
  if (shim == shims.end()) return;
  const std::int64_t spooled = disk.folders.at(allocation).spool.synced();
  later(Duration(2), ShimSaid{shim->second->status(), spooled, first});
}

void Node::shim_is_gone(AllocationId allocation) {
  if (!brain_) return;
  watched_.erase(allocation);
  later(Duration(world_.dice.between(3, 200)), ShimGone{allocation});
}

void Node::link_broke(const LinkPtr& link) {
  if (!brain_ || link != link_) return;
  link_.reset();
  hear(Disconnected{});
  connect_soon();
}

core::AgentHello Node::hello() const {
  core::AgentHello hello{.agent = agent_id(),
                         .machine_id = machine_id(),
                         .boot_id = cat("boot", index_, '.', boot_),
                         .name = cat("n", index_),
                         .address = address(),
                         .pool = shape_.pool,
                         .cluster_id = brain_->options().cluster_id,
                         .cluster_epoch = brain_->options().cluster_epoch,
                         .batch_seen = brain_->options().batch_seen,
                         .allocations = brain_->allocations()};
  for (int i = 0; i < shape_.slots; ++i) hello.slots.push_back({.id = cat("cpu", i)});
  for (const core::SlotFault& fault : brain_->slot_faults()) {
    for (core::Slot& slot : hello.slots) {
      if (slot.id == fault.slot) slot.fault = fault.reason;
    }
  }
  return hello;
}

void Node::connect_soon() {
  world_.queue.after(Duration(world_.dice.between(200, 2'500)), [this, life = agent_life_] {
    if (brain_ && life == agent_life_ && !link_) connect();
  });
}

void Node::connect() {
  const bool cut =
      world_.network.is_cut(index_, Way::up) || world_.network.is_cut(index_, Way::down);
  if (cut || !world_.master.is_up() || is_agent_stopped()) return connect_soon();
  link_ = world_.master.open_link(*this);
  world_.network.send(link_, Way::up, [this, link = link_, greeting = hello()] {
    world_.master.joined(link, greeting);
  });
  hear(Connected{});
}

}  // namespace dt::sim
