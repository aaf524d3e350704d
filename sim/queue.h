// Virtual time: calls in the order of (time, order of asking). Nothing in the simulator waits or
// reads a clock; a run of one seed is the same on every machine. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/time.h"
#include "base/verify.h"

namespace dt::sim {

class Queue {
 public:
  Time now() const { return now_; }
  std::int64_t events() const { return events_; }

  void at(Time time, std::function<void()> call) {
    calls_.emplace(std::pair(std::max(time, now_), ++order_), std::move(call));
  }
  void after(Duration delay, std::function<void()> call) { at(now_ + delay, std::move(call)); }

  void run_next() {
    VERIFY(!calls_.empty(), "nothing is left to happen");
    auto next = calls_.extract(calls_.begin());
    now_ = next.key().first;
    ++events_;
    next.mapped()();
  }

 private:
  std::map<std::pair<Time, std::int64_t>, std::function<void()>> calls_;
  Time now_ = from_ms(1'000'000);
  std::int64_t order_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace dt::sim
