// What the agent of a node does when its brain says so.
#include <algorithm>
#include <utility>

#include "sim/node.h"
#include "sim/world.h"

namespace dt::sim {

using namespace core::relay;  // NOLINT: the brain's events and actions are this file's words

namespace {

constexpr std::size_t batch_most = 40;

}  // namespace

void Node::perform(SendHeartbeat& action) {
  if (!link_) return;
  world_.network.send(link_, Way::up,
                      [this, link = link_, heartbeat = std::move(action.heartbeat)]() mutable {
                        world_.master.heard(link, std::move(heartbeat));
                      });
}

void Node::perform(Remember& action) {
  disk.cluster_id = action.cluster_id;
  disk.cluster_epoch = action.cluster_epoch;
  disk.batch_seen = action.batch_seen;
}

void Node::perform(Prepare& action) {
  fetching_.insert(action.allocation);
  const Time when = world_.queue.now() + Duration(world_.dice.between(20, 3'000));
  world_.queue.at(std::max(when, stopped_until_),
                  [this, life = agent_life_, action = std::move(action)] {
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
  disk.folders[id] = Folder();
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

void Node::perform(StartRanks& action) {
  to_shim(action.allocation, core::shim::StartOrdered{Value::Object{}});
}

void Node::perform(TellShim& action) {
  if (action.order == core::Order::kill) fetching_.erase(action.allocation);
  switch (action.order) {
    case core::Order::preempt:
      return to_shim(action.allocation, core::shim::PreemptOrdered{action.left});
    case core::Order::stop: return to_shim(action.allocation, core::shim::StopOrdered{});
    case core::Order::kill: return to_shim(action.allocation, core::shim::KillOrdered{});
    default: return;
  }
}

void Node::perform(ExtendLease& action) {
  const Time deadline = action.deadline == never ? never : to_world(action.deadline);
  world_.checkers.lease_told(*this, action.allocation, deadline);
  to_shim(action.allocation, core::shim::LeaseExtended{action.checkpoint_at, action.deadline});
}

void Node::perform(ClearRemains& action) {
  world_.queue.after(Duration(world_.dice.between(5, 300)),
                     [this, life = agent_life_, id = action.allocation] {
                       if (brain_ && life == agent_life_) clear_remains(id);
                     });
}

// Whoever hangs in the kernel is waited for.
void Node::clear_remains(AllocationId allocation) {
  const auto shim = shims.find(allocation);
  if (shim == shims.end() || !shim->second->has_live_rank())
    return hear(RemainsCleared{allocation});
  world_.queue.after(Duration(1'000), [this, life = agent_life_, allocation] {
    if (brain_ && life == agent_life_) clear_remains(allocation);
  });
}

void Node::perform(ReadSpool& action) {
  bool at_end = true;
  std::vector<core::Record> records;
  const auto folder = disk.folders.find(action.allocation);
  if (folder != disk.folders.end()) {
    records = folder->second.spool.read(action.from, batch_most, at_end);
  }
  later(Duration(world_.dice.between(1, 10)),
        SpoolRead{action.allocation, std::move(records), at_end});
}

void Node::perform(SendRecords& action) {
  const int life = agent_life_;
  const AllocationId id = action.allocation;
  world_.network.call(
      index_,
      [this, id, life, records = std::move(action.records)](const Network::Reply& reply) {
        std::optional<core::Marks> marks = world_.master.push_records(id, records);
        world_.network.answer(reply, [this, id, life, marks = std::move(marks)] {
          if (!brain_ || life != agent_life_) return;
          marks ? hear(Acknowledged{id, *marks}) : hear(SendFailed{id});
        });
      },
      [this, id, life] {
        if (brain_ && life == agent_life_) hear(SendFailed{id});
      });
}

void Node::perform(UploadPart& action) {
  const int life = agent_life_;
  const PartKey key{action.allocation, action.checkpoint, action.part};
  const auto to_agent = [this, life](Event event) {
    if (brain_ && life == agent_life_) hear(std::move(event));
  };
  const bool damaged = world_.is_stormy() && world_.dice.chance(1);
  const auto store = [this, key, damaged, to_agent](const Network::Reply& reply) {
    const Stored stored = world_.master.store_part(key, damaged);
    world_.network.answer(reply, [key, stored, to_agent] {
      const auto& [allocation, checkpoint, part] = key;
      if (stored == Stored::yes) return to_agent(PartStored{allocation, checkpoint, part});
      const bool retry = stored == Stored::unavailable;
      to_agent(PartFailed{allocation, checkpoint, part, "not stored", retry});
    });
  };
  world_.network.call(
      index_,
      [this, store](const Network::Reply& reply) {
        world_.queue.after(Duration(world_.dice.between(50, 5'000)),
                           [store, reply] { store(reply); });
      },
      [key, to_agent] {
        to_agent(PartFailed{key.allocation, key.checkpoint, key.part, "no reply"});
      });
}

void Node::perform(RemoveFolder& action) {
  disk.folders.erase(action.allocation);
  shims.erase(action.allocation);
  watched_.erase(action.allocation);
}

void Node::perform(WakeAt& action) {
  world_.queue.at(to_world(action.time), [this, life = agent_life_] {
    if (brain_ && life == agent_life_) hear(Woke{});
  });
}

void Node::perform(Leave&) {
  world_.trace("node ", index_, ": the agent leaves");
  world_.queue.after(Duration(500), [this, life = agent_life_] {
    if (brain_ && life == agent_life_) crash_agent();
  });
}

}  // namespace dt::sim
