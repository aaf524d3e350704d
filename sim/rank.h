// A rank's program as a script: it trains step by step, reports every step, validates, checkpoints,
// obeys or ignores orders, crashes as its dice say, and keeps what was not acknowledged. One
// thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "core/agent/messages.h"
#include "core/agent/shim.h"
#include "sim/program.h"

namespace dt::sim {

class World;
class Node;
class Shim;

class Rank : public std::enable_shared_from_this<Rank> {
 public:
  Rank(World& world, Node& node, std::weak_ptr<Shim> shim, AllocationId allocation,
       const core::Assignment& assignment, int number);

  void begin();
  void told_preempt();
  void told_stop();
  void acknowledged(std::int64_t rank_seq);
  void signalled(int signal);
  void die(int code, int signal);
  void lose_power();
  void reconnect();  // says again what was not acknowledged
  void slow_down(Duration pause) { pause_ += pause; }
  void hang(Time until);  // in the kernel: it trains no more, and nothing ends it before

  bool is_alive() const { return alive_; }
  bool is_hanging() const;
  int number() const { return number_; }
  AllocationId allocation() const { return allocation_; }
  const std::string& slot() const { return slot_; }

 private:
  enum class Fate { none, crashes, quits, invalid };

  void draw_fate();
  void meet_fate();
  void plan_step();
  void step();
  void report(bool validation);
  Value metric_of(bool validation);
  void talk();
  void checkpoint(bool at_preempt);
  void say(core::RecordKind kind, Value body);
  void deliver(std::int64_t rank_seq, core::RecordKind kind, std::shared_ptr<const Value> body);
  void leave(int code);  // once everything is acknowledged

  struct Said {
    std::int64_t rank_seq = 0;
    core::RecordKind kind = core::RecordKind::metrics;
    std::shared_ptr<const Value> body;
  };

  World& world_;
  Node& node_;
  std::weak_ptr<Shim> shim_;
  AllocationId allocation_;
  int number_;
  int size_;
  double quality_;  // of its hyperparameters
  std::string slot_;
  const Program& program_;
  std::int64_t step_ = 0;
  std::int64_t last_seq_ = 0;
  std::deque<Said> unacknowledged_;
  bool alive_ = true;
  bool preempted_ = false;
  bool stopped_ = false;
  int leaving_with_ = -1;
  std::optional<std::pair<int, int>> death_that_waits_;  // code and signal, until it hangs no more
  Time hangs_until_ = Time::min();
  Duration pause_{0};
  Fate fate_ = Fate::none;
  std::int64_t fate_step_ = 0;
};

}  // namespace dt::sim
