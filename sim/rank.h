// A rank's program as a script: it trains step by step, reports every step, validates, checkpoints,
// obeys or ignores orders, crashes as its dice say, and keeps what was not acknowledged. One
// thread.
#pragma once

#include <deque>
#include <memory>

#include "core/agent/messages.h"
#include "core/agent/shim.h"

namespace dt::sim {

class World;
class Node;
class Shim;

struct Program {  // of one experiment
  std::int64_t steps = 10;
  Duration step_time{1'000};
  int validate_every = 1;
  int checkpoint_every = 3;
  bool sharded = false;   // each rank writes a part of a checkpoint
  bool mute = false;      // never says hello
  bool stubborn = false;  // ignores SIGTERM
  bool deaf = false;      // trains on when asked to checkpoint, as in a very long step
  int crash_percent = 0;  // a step
};

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
  void reconnect();  // says again what was not acknowledged
  void slow_down(Duration pause) { pause_ += pause; }

  bool is_alive() const { return alive_; }
  int number() const { return number_; }
  const std::string& slot() const { return slot_; }

 private:
  void plan_step();
  void step();
  void report(bool validation);
  void checkpoint(bool at_preempt);
  void say(core::RecordKind kind, Value body);
  void deliver(std::int64_t rank_seq, core::RecordKind kind, const Value& body);
  void leave(int code);  // once everything is acknowledged

  struct Said {
    std::int64_t rank_seq = 0;
    core::RecordKind kind = core::RecordKind::metrics;
    Value body;
  };

  World& world_;
  Node& node_;
  std::weak_ptr<Shim> shim_;
  AllocationId allocation_;
  core::Assignment assignment_;
  int number_;
  std::string slot_;
  Program program_;
  std::int64_t step_ = 0;
  std::int64_t last_seq_ = 0;
  std::deque<Said> unacknowledged_;
  bool alive_ = true;
  bool preempted_ = false;
  bool stopped_ = false;
  int leaving_with_ = -1;
  Duration pause_{0};
};

}  // namespace dt::sim
