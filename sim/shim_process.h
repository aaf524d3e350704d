// A shim around its brain: performs what the brain says on the simulated disk and ranks. Killed, it
// takes its ranks with it (PDEATHSIG). One thread.
#pragma once

#include <map>
#include <memory>

#include "core/agent/lease.h"
#include "sim/rank.h"

namespace dt::sim {

class Shim : public std::enable_shared_from_this<Shim> {
 public:
  Shim(World& world, Node& node, AllocationId allocation, const core::Assignment& assignment);

  void open();
  void hear(const core::shim::Event& event);
  // Of the checkers: when the last of its ranks must be gone, by orders and the lease.
  Time must_end_at() const;
  void kill();
  void lose_power();

  bool is_alive() const { return alive_; }
  core::AllocationStatus status() const { return brain_.status(); }
  AllocationId allocation() const { return allocation_; }
  const std::map<int, std::shared_ptr<Rank>>& ranks() const { return ranks_; }
  bool has_live_rank() const;

 private:
  void note_deadline(const core::shim::Event& event);
  void end_tree();
  void perform(const core::shim::RunPrepare&);
  void perform(const core::shim::BindPort&);
  void perform(const core::shim::SpawnRank& action);
  void perform(core::shim::Append& action);
  void perform(const core::shim::Sync&);
  void perform(const core::shim::Acknowledge& action);
  void perform(const core::shim::TellPreempt& action);
  void perform(const core::shim::TellStop& action);
  void perform(const core::shim::SignalRank& action);
  void perform(const core::shim::KillTree&);
  void perform(const core::shim::ReportStatus&);
  void perform(const core::shim::WakeAt& action);
  void perform(const core::shim::Finish&);

  void later(Duration delay, core::shim::Event event);
  void to_rank(int rank, void (Rank::*tell)());

  World& world_;
  Node& node_;
  AllocationId allocation_;
  core::Assignment assignment_;
  core::shim::Brain brain_;
  std::map<int, std::shared_ptr<Rank>> ranks_;
  Time orders_end_at_ = never;
  Time lease_end_at_ = never;
  bool alive_ = true;
  bool syncing_ = false;
  bool sync_again_ = false;
};

}  // namespace dt::sim
