// A node: a machine with a disk, a boot, shims, and an agent process around the relay brain. What
// outlives what is the point: a crashed agent leaves shims and disk, a power loss only the disk's
// synced part. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/agent/relay.h"
#include "sim/disk.h"
#include "sim/network.h"
#include "sim/shim_process.h"

namespace dt::sim {

class Node {
 public:
  Node(World& world, int index, int slots);

  int index() const { return index_; }
  std::string address() const { return cat("10.0.0.", index_ + 1); }
  AgentId agent_id() const { return {cat("agent", index_)}; }
  Time now() const;  // CLOCK_BOOTTIME
  Time to_world(Time boot) const;
  Duration sync_time();

  void start_agent();
  void crash_agent();
  void shut_down_agent();
  void lose_power();
  void gain_power();
  void slow_disk(Time until) { slow_disk_until_ = until; }
  void heal();

  bool has_power() const { return powered_; }
  bool is_agent_up() const { return brain_.has_value(); }
  int agent_life() const { return agent_life_; }
  bool is_settled() const;  // its every spool is in the database

  // Of the shims.
  void shim_said(AllocationId allocation, bool first);
  void shim_is_gone(AllocationId allocation);

  // Of the wire.
  void hear(const core::relay::Event& event);
  void link_broke(const LinkPtr& link);

  Disk disk;
  std::map<AllocationId, std::shared_ptr<Shim>> shims;

 private:
  void perform(const core::relay::SendHeartbeat& action);
  void perform(const core::relay::Remember& action);
  void perform(const core::relay::Prepare& action);
  void perform(const core::relay::StartRanks& action);
  void perform(const core::relay::TellShim& action);
  void perform(const core::relay::ExtendLease& action);
  void perform(const core::relay::ClearRemains& action);
  void perform(const core::relay::ReadSpool& action);
  void perform(const core::relay::SendRecords& action);
  void perform(const core::relay::UploadPart& action);
  void perform(const core::relay::RemoveFolder& action);
  void perform(const core::relay::WakeAt& action);
  void perform(const core::relay::Leave&);

  void later(Duration delay, core::relay::Event event);  // to this life of the agent
  void to_shim(AllocationId allocation, core::shim::Event event);
  void reattach();
  void connect();
  void connect_soon();
  void launch(const core::relay::Prepare& action);
  core::AgentHello hello() const;

  World& world_;
  int index_;
  int slots_;
  int boot_ = 1;
  bool powered_ = true;
  Time booted_at_;
  Time slow_disk_until_ = Time::min();

  std::optional<core::relay::Brain> brain_;
  int agent_life_ = 0;
  LinkPtr link_;
  std::set<AllocationId> fetching_;
  std::set<AllocationId> watched_;  // shims that the agent is connected to
};

}  // namespace dt::sim
