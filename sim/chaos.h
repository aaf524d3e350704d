// The storm: draws a fault now and then, as the mix of the run says, until the storm is over; then
// everything is healed. All faults are ones that the design promises to survive. One thread.
#pragma once

#include <memory>

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
  void plan_next();
  Fault draw();
  void strike(Fault fault);
  void cut(int wire);
  void stall(int wire);
  void lose_calls(int wire);
  void crash_agent(Node& node);
  void agent_leaves(Node& node);
  void lose_power(Node& node);
  void slow_disk(Node& node);
  void crash_master();
  void lose_database();
  Node& any_node();
  std::shared_ptr<Shim> any_shim(Node& node);
  std::shared_ptr<Rank> any_rank(Node& node);
  Duration outage();  // now shorter, now longer than the lease
  void lasts(Duration duration);

  World& world_;
  Time last_fault_ = Time::min();
};

}  // namespace dt::sim
