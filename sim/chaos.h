// The storm: draws a fault now and then, as the mix of the run says, until the storm is over; then
// everything is healed. All faults are ones that the design promises to survive. Each second fault
// looks for a victim in a state that is drawn first, because chance alone seldom meets what lasts a
// few milliseconds. One thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/coverage.h"
#include "sim/options.h"

namespace dt::sim {

class World;
class Node;
class Shim;
class Rank;

class Chaos {
 public:
  explicit Chaos(World& world) : world_(world) {}

  void begin();
  Time last_fault() const { return last_fault_; }  // or the end of its effect, if that is known

 private:
  // Whom a fault strikes.
  struct Victim {
    Node* node = nullptr;
    AllocationId allocation;  // that it looked for, if any
  };

  void plan_next();
  Fault draw();
  Victim draw_victim(bool with_ranks);
  void strike(Fault fault);
  void strike_master(Fault fault);
  void strike_node(Fault fault, const Victim& victim);
  void strike_rank(Fault fault, const Victim& victim);
  void count(Fault fault, const Node* node);
  void cut(int wire);
  void stall(int wire);
  void lose_calls(int wire);
  void crash_agent(Node& node);
  void agent_leaves(Node& node);
  void agent_is_forgotten(Node& node);
  void agent_has_twin(Node& node);
  void lose_power(Node& node, Duration time);
  void slow_disk(Node& node);
  void slot_fails(Node& node);
  void crash_master();
  void jump_clock();
  Node& any_node();
  std::shared_ptr<Shim> shim_of(const Victim& victim);
  std::shared_ptr<Rank> rank_of(const Victim& victim);
  Duration outage();  // now shorter, now longer than the lease
  void lasts(Duration duration);

  World& world_;
  Time last_fault_ = Time::min();
};

}  // namespace dt::sim
