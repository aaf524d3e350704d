// A node: a machine with a disk, a boot, shims, and an agent process around the relay brain. What
// outlives what is the point: a crashed agent leaves shims and disk, a power loss only the disk's
// synced part. One thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/agent/relay.h"
#include "sim/disk.h"
#include "sim/network.h"
#include "sim/options.h"
#include "sim/shim_process.h"

namespace dt::sim {

class Node {
 public:
  Node(World& world, int index, NodeShape shape);

  int index() const { return index_; }  // of the machine
  std::string address() const { return cat("10.0.0.", index_ + 1); }
  std::string machine_id() const { return cat("machine", index_); }
  AgentId agent_id() const { return {cat("agent", agent_number_)}; }
  const NodeShape& shape() const { return shape_; }
  Time now() const;  // CLOCK_BOOTTIME
  Time to_world(Time boot) const;
  Duration sync_time();

  void start_agent();
  void crash_agent();
  void shut_down_agent();
  void stop_agent(Time until);  // as by SIGSTOP
  void lose_power();
  void gain_power();
  void slow_disk(Time until) { slow_disk_until_ = until; }
  void find_faults(std::vector<core::SlotFault> faults);
  void heal();

  // A machine that was given a copy of another's data folder, and one that is scrapped.
  void become_twin_of(const Node& other);
  void scrap();

  bool has_power() const { return powered_; }
  bool is_agent_up() const { return brain_.has_value(); }
  bool is_agent_stopped() const;
  int agent_life() const { return agent_life_; }
  bool is_settled() const;  // its every spool is in the database
  const core::relay::Brain& brain() const { return *brain_; }

  // Of the shims.
  void shim_said(AllocationId allocation, bool first);
  void shim_is_gone(AllocationId allocation);

  // Of the wire.
  void hear(core::relay::Event event);
  void link_broke(const LinkPtr& link);

  Disk disk;
  std::map<AllocationId, std::shared_ptr<Shim>> shims;

 private:
  void perform(core::relay::SendHeartbeat& action);
  void perform(core::relay::Remember& action);
  void perform(core::relay::Prepare& action);
  void perform(core::relay::StartRanks& action);
  void perform(core::relay::TellShim& action);
  void perform(core::relay::ExtendLease& action);
  void perform(core::relay::ClearRemains& action);
  void perform(core::relay::ReadSpool& action);
  void perform(core::relay::SendRecords& action);
  void perform(core::relay::UploadPart& action);
  void perform(core::relay::RemoveFolder& action);
  void perform(core::relay::WakeAt& action);
  void perform(core::relay::Leave&);

  void wake();
  void step(const core::relay::Event& event);
  void keep_marks(const core::relay::Event& event);
  void later(Duration delay, core::relay::Event event);  // to this life of the agent
  void to_shim(AllocationId allocation, core::shim::Event event);
  void clear_remains(AllocationId allocation);
  void reattach();
  void connect();
  void connect_soon();
  void launch(const core::relay::Prepare& action);
  core::AgentHello hello() const;

  World& world_;
  int index_;
  int agent_number_;
  NodeShape shape_;
  int boot_ = 1;
  bool powered_ = true;
  bool scrapped_ = false;
  Time booted_at_;
  Time slow_disk_until_ = Time::min();
  Time stopped_until_ = Time::min();
  std::vector<core::SlotFault> faults_;

  std::optional<core::relay::Brain> brain_;
  int agent_life_ = 0;
  LinkPtr link_;
  std::deque<core::relay::Event> unheard_;  // while it is stopped
  std::set<AllocationId> fetching_;
  std::set<AllocationId> watched_;  // shims that the agent is connected to
};

}  // namespace dt::sim
