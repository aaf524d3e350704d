// The wires between the nodes (and the people, the last wire) and the master: delay, loss, cuts in
// one or both directions. A stream on a wire is in order and breaks when a message of it is lost;
// its ends notice that late. A call may be lost, answered late or delivered twice. One thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/id.h"
#include "base/rng.h"
#include "sim/queue.h"

namespace dt::sim {

enum class Way { up, down };  // to the master, from it

// One stream between an agent and the master. `lives` tell whose: an end that died hears nothing.
struct Link {
  std::int64_t id = 0;
  int node = 0;
  AgentId agent;
  int agent_life = 0;
  int master_life = 0;
  std::array<bool, 2> lost{};  // by way: nothing passes any more
  std::array<Time, 2> last{};  // arrival of the last message, for order
  bool closing = false;
};
using LinkPtr = std::shared_ptr<Link>;

class Network {
 public:
  Network(Queue& queue, Rng& dice, int nodes)
      : queue_(queue), dice_(dice), wires_(static_cast<std::size_t>(nodes) + 1) {}

  int people() const { return static_cast<int>(wires_.size()) - 1; }

  void cut(int wire, Way way, Time until);
  void slow_down(int wire, Way way, Duration most, Time until);
  void lose_calls(int wire, int percent, Time until);
  void heal();
  bool is_cut(int wire, Way way) const;
  bool is_calm(int wire) const;  // neither cut nor slow nor lossy

  // Messages of a stream; `on_break` is called once for each broken stream, later.
  void send(const LinkPtr& link, Way way, Call deliver);
  void break_link(const LinkPtr& link);
  void close(const LinkPtr& link);  // one end died or left: the other learns of it
  std::function<void(const LinkPtr&)> on_break_agent;
  std::function<void(const LinkPtr&)> on_break_master;

  // A call: `serve` runs at the master, perhaps twice, and is given what brings a reply home. When
  // none has come in time `on_failure` is called.
  class OpenCall;
  using Reply = std::shared_ptr<OpenCall>;
  using Serve = std::function<void(const Reply& reply)>;
  void call(int wire, Serve serve, Call on_failure);
  void answer(const Reply& reply, Call bring);

 private:
  struct Wire {
    std::array<Time, 2> cut_until{Time::min(), Time::min()};
    std::array<Time, 2> slow_until{Time::min(), Time::min()};
    std::array<Duration, 2> slowness{};
    Time lossy_until = Time::min();
    int loss_percent = 0;
  };

  Wire& at(int wire) { return wires_[static_cast<std::size_t>(wire)]; }
  const Wire& at(int wire) const { return wires_[static_cast<std::size_t>(wire)]; }
  Duration delay(int wire, Way way);
  bool loses_call(int wire);

  Queue& queue_;
  Rng& dice_;
  std::vector<Wire> wires_;
};

}  // namespace dt::sim
