#include "sim/node.h"

#include <utility>

#include "sim/world.h"

namespace dt::sim {

using namespace core::relay;  // NOLINT: the brain's events and actions are this file's words

namespace {

constexpr Duration after_boot{1'000};  // a clock never starts at zero
constexpr std::size_t batch_most = 40;

}  // namespace

Node::Node(World& world, int index, int slots)
    : world_(world), index_(index), slots_(slots), booted_at_(world.queue.now()) {}

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
                                      .batch_seen = disk.batch_seen});
  reattach();
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
  brain_.reset();
  fetching_.clear();
  watched_.clear();
  if (link_) world_.network.close(link_);
  link_.reset();
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
  for (const auto& [id, shim] : shims) shim->kill(false);
  shims.clear();
  for (auto& [id, folder] : disk.folders) folder.spool.lose_unsynced();
}

void Node::gain_power() {
  if (powered_) return;
  world_.trace("node ", index_, ": power is back");
  powered_ = true;
  ++boot_;
  booted_at_ = world_.queue.now();
  start_agent();
}

void Node::heal() {
  slow_disk_until_ = Time::min();
  gain_power();
  start_agent();
}

bool Node::is_settled() const {
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

void Node::hear(const Event& event) {
  if (!brain_) return;
  const Actions actions = brain_->step(now(), event);
  for (auto& [id, folder] : disk.folders) {
    if (const core::Marks* marks = brain_->marks(id)) folder.marks = *marks;
  }
  world_.checkers.agent_holds(*this, brain_->allocations());
  const int life = agent_life_;
  for (const Action& action : actions) {
    if (!brain_ || life != agent_life_) return;
    std::visit([this](const auto& one) { perform(one); }, action);
  }
}

void Node::later(Duration delay, Event event) {
  world_.queue.after(delay, [this, life = agent_life_, event = std::move(event)] {
    if (brain_ && life == agent_life_) hear(event);
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
                         .machine_id = cat("machine", index_),
                         .boot_id = cat("boot", boot_),
                         .name = cat("n", index_),
                         .address = address(),
                         .pool = "default",
                         .cluster_id = brain_->options().cluster_id,
                         .cluster_epoch = brain_->options().cluster_epoch,
                         .batch_seen = brain_->options().batch_seen,
                         .allocations = brain_->allocations()};
  for (int i = 0; i < slots_; ++i) hello.slots.push_back({.id = cat("cpu", i)});
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
  if (cut || !world_.master.is_up()) return connect_soon();
  link_ = world_.master.open_link(index_, agent_life_);
  world_.network.send(link_, Way::up, [this, link = link_, greeting = hello()] {
    world_.master.joined(link, greeting);
  });
  hear(Connected{});
}

// The agent's hands.

void Node::perform(const SendHeartbeat& action) {
  world_.checkers.agent_said(*this, action.heartbeat.allocations);
  if (!link_) return;
  world_.network.send(link_, Way::up, [this, link = link_, heartbeat = action.heartbeat] {
    world_.master.heard(link, heartbeat);
  });
}

void Node::perform(const Remember& action) {
  disk.cluster_id = action.cluster_id;
  disk.cluster_epoch = action.cluster_epoch;
  disk.batch_seen = action.batch_seen;
}

void Node::perform(const Prepare& action) {
  fetching_.insert(action.allocation);
  world_.queue.after(Duration(world_.dice.between(20, 3'000)), [this, life = agent_life_, action] {
    if (brain_ && life == agent_life_) launch(action);
  });
}

void Node::launch(const Prepare& action) {
  const AllocationId id = action.allocation;
  const bool canceled = fetching_.erase(id) == 0;
  if (canceled) return hear(PrepareFailed{id, "canceled", true});
  const bool reachable = !world_.network.is_cut(index_, Way::up) && world_.master.is_up();
  if (action.assignment.checkpoint && !reachable) {
    return hear(PrepareFailed{id, "the checkpoint cannot be fetched", true});
  }
  world_.checkers.resumed(id, action.assignment);
  disk.folders[id] = Folder{.assignment = action.assignment};
  const auto shim = std::make_shared<Shim>(world_, *this, id, action.assignment);
  shims[id] = shim;
  world_.trace("node ", index_, ": a shim for ", id, ", trial ", action.assignment.trial,
               " attempt ", action.assignment.attempt);
  shim->open();
  hear(Prepared{id});
  shim_said(id, true);
}

void Node::to_shim(AllocationId allocation, core::shim::Event event) {
  const auto shim = shims.find(allocation);
  if (shim == shims.end() || !watched_.contains(allocation)) return;  // orders are repeated
  world_.queue.after(Duration(2),
                     [keeper = shim->second, event = std::move(event)] { keeper->hear(event); });
}

void Node::perform(const StartRanks& action) {
  to_shim(action.allocation, core::shim::StartOrdered{Value::Object{}});
}

void Node::perform(const TellShim& action) {
  if (action.order == core::Order::kill) fetching_.erase(action.allocation);
  switch (action.order) {
    case core::Order::preempt:
      return to_shim(action.allocation, core::shim::PreemptOrdered{action.left});
    case core::Order::stop: return to_shim(action.allocation, core::shim::StopOrdered{});
    case core::Order::kill: return to_shim(action.allocation, core::shim::KillOrdered{});
    default: return;
  }
}

void Node::perform(const ExtendLease& action) {
  const Time deadline = action.deadline == never ? never : to_world(action.deadline);
  world_.checkers.lease_told(*this, action.allocation, deadline);
  to_shim(action.allocation, core::shim::LeaseExtended{action.checkpoint_at, action.deadline});
}

void Node::perform(const ClearRemains& action) {
  later(Duration(world_.dice.between(5, 300)), RemainsCleared{action.allocation});
}

void Node::perform(const ReadSpool& action) {
  bool at_end = true;
  std::vector<core::Record> records;
  const auto folder = disk.folders.find(action.allocation);
  if (folder != disk.folders.end()) {
    records = folder->second.spool.read(action.from, batch_most, at_end);
  }
  later(Duration(world_.dice.between(1, 10)),
        SpoolRead{action.allocation, std::move(records), at_end});
}

void Node::perform(const SendRecords& action) {
  const int life = agent_life_;
  const AllocationId id = action.allocation;
  world_.network.call(
      index_,
      [this, id, life, records = action.records](const auto& reply) {
        const std::optional<core::Marks> marks = world_.master.push_records(id, records);
        reply([this, id, life, marks] {
          if (!brain_ || life != agent_life_) return;
          marks ? hear(Acknowledged{id, *marks}) : hear(SendFailed{id});
        });
      },
      [this, id, life] {
        if (brain_ && life == agent_life_) hear(SendFailed{id});
      });
}

void Node::perform(const UploadPart& action) {
  const int life = agent_life_;
  world_.network.call(
      index_,
      [this, action, life](const auto& reply) {
        world_.queue.after(Duration(world_.dice.between(50, 5'000)), [this, action, life, reply] {
          const bool stored =
              world_.master.part_stored(action.allocation, action.checkpoint, action.part);
          reply([this, action, life, stored] {
            if (!brain_ || life != agent_life_) return;
            stored ? hear(PartStored{action.allocation, action.checkpoint, action.part})
                   : hear(PartFailed{action.allocation, action.checkpoint, action.part, "away"});
          });
        });
      },
      [this, action, life] {
        if (!brain_ || life != agent_life_) return;
        hear(PartFailed{action.allocation, action.checkpoint, action.part, "no reply"});
      });
}

void Node::perform(const RemoveFolder& action) {
  disk.folders.erase(action.allocation);
  shims.erase(action.allocation);
  watched_.erase(action.allocation);
}

void Node::perform(const WakeAt& action) {
  world_.queue.at(to_world(action.time), [this, life = agent_life_] {
    if (brain_ && life == agent_life_) hear(Woke{});
  });
}

void Node::perform(const Leave&) {
  world_.trace("node ", index_, ": the agent leaves");
  world_.queue.after(Duration(500), [this, life = agent_life_] {
    if (brain_ && life == agent_life_) crash_agent();
  });
}

}  // namespace dt::sim
