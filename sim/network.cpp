#include "sim/network.h"

#include <algorithm>
#include <utility>

namespace dt::sim {
namespace {

constexpr Duration call_timeout{10'000};
constexpr std::int64_t notice_most_ms = 20'000;        // by the keep-alive of a stream …
constexpr std::int64_t late_notice_most_ms = 120'000;  // … or by TCP

std::size_t index(Way way) { return way == Way::up ? 0 : 1; }

}  // namespace

class Network::OpenCall {
 public:
  OpenCall(int number, Serve answers, Call fails)
      : wire(number), serve(std::move(answers)), on_failure(std::move(fails)) {}

  const int wire;
  const Serve serve;
  Call on_failure;
  bool done = false;
};

void Network::cut(int wire, Way way, Time until) {
  Time& end = at(wire).cut_until[index(way)];
  end = std::max(end, until);
}

void Network::slow_down(int wire, Way way, Duration most, Time until) {
  Wire& slow = at(wire);
  slow.slowness[index(way)] = most;
  slow.slow_until[index(way)] = until;
}

void Network::lose_calls(int wire, int percent, Time until) {
  Wire& lossy = at(wire);
  lossy.loss_percent = percent;
  lossy.lossy_until = until;
}

void Network::heal() { wires_.assign(wires_.size(), Wire()); }

bool Network::is_cut(int wire, Way way) const {
  return queue_.now() < at(wire).cut_until[index(way)];
}

bool Network::is_calm(int wire) const {
  const Wire& one = at(wire);
  const Time now = queue_.now();
  return !is_cut(wire, Way::up) && !is_cut(wire, Way::down) && now >= one.slow_until[0] &&
         now >= one.slow_until[1] && now >= one.lossy_until;
}

Duration Network::delay(int wire, Way way) {
  const Wire& one = at(wire);
  if (queue_.now() < one.slow_until[index(way)]) {
    return Duration(
        dice_.between(one.slowness[index(way)].count() / 2, one.slowness[index(way)].count()));
  }
  return Duration(dice_.chance(95) ? dice_.between(1, 30) : dice_.between(30, 400));
}

bool Network::loses_call(int wire) {
  const Wire& one = at(wire);
  return queue_.now() < one.lossy_until && dice_.chance(one.loss_percent);
}

void Network::send(const LinkPtr& link, Way way, Call deliver) {
  if (link->lost[index(way)]) return;
  if (is_cut(link->node, way)) return break_link(link);
  Time& last = link->last[index(way)];
  last = std::max(last, queue_.now() + delay(link->node, way));
  queue_.at(last, [this, link, way, deliver = std::move(deliver)]() mutable {
    if (link->lost[index(way)]) return;
    if (is_cut(link->node, way)) {
      link->lost[index(way)] = true;
      return break_link(link);
    }
    deliver();
  });
}

// What was lost keeps all later words of its direction back; the ends notice by and by.
void Network::break_link(const LinkPtr& link) {
  if (std::exchange(link->closing, true)) return;
  const auto notice = [&] {
    return Duration(dice_.between(100, dice_.chance(50) ? notice_most_ms : late_notice_most_ms));
  };
  queue_.after(notice(), [this, link] {
    link->lost = {true, true};
    on_break_agent(link);
  });
  // What the master had sent before it noticed may still arrive.
  queue_.after(notice(), [this, link] {
    link->lost[index(Way::up)] = true;
    on_break_master(link);
  });
}

void Network::close(const LinkPtr& link) {
  link->lost = {true, true};
  if (std::exchange(link->closing, true)) return;
  const bool cut = is_cut(link->node, Way::up) || is_cut(link->node, Way::down);
  const std::int64_t most = cut ? notice_most_ms : 300;
  queue_.after(Duration(dice_.between(1, most)), [this, link] { on_break_agent(link); });
  queue_.after(Duration(dice_.between(1, most)), [this, link] { on_break_master(link); });
}

void Network::call(int wire, Serve serve, Call on_failure) {
  const auto open = std::make_shared<OpenCall>(wire, std::move(serve), std::move(on_failure));
  queue_.after(call_timeout, [open] {
    if (!std::exchange(open->done, true)) open->on_failure();
  });
  const auto arrive = [this, open] {
    if (!is_cut(open->wire, Way::up)) open->serve(open);
  };
  if (is_cut(wire, Way::up) || loses_call(wire)) return;
  queue_.after(delay(wire, Way::up), arrive);
  if (dice_.chance(3)) queue_.after(Duration(dice_.between(1, 40'000)), arrive);  // twice
}

void Network::answer(const Reply& reply, Call bring) {
  if (is_cut(reply->wire, Way::down) || loses_call(reply->wire)) return;
  queue_.after(delay(reply->wire, Way::down), [this, reply, bring = std::move(bring)]() mutable {
    if (is_cut(reply->wire, Way::down)) return;
    if (!std::exchange(reply->done, true)) bring();
  });
}

}  // namespace dt::sim
