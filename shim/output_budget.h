// How fast a program's output is taken. Whoever prints without end is slowed by its own pipe, so
// that its log neither fills the disk in minutes nor holds up the metrics of other ranks on their
// way to the master. Two seconds' worth may come at once, so ordinary output never waits. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace dt::shim {

class OutputBudget {
 public:
  // What the spool, the link and the database spend on a line beside its text.
  static constexpr std::int64_t line_cost = 200;

  explicit OutputBudget(std::int64_t bytes_per_second) : rate_(bytes_per_second) {}

  void spend(Time now, std::int64_t bytes) {
    refill(now);
    left_ -= bytes;
  }

  // Zero: more may be taken at once.
  Duration wait(Time now) {
    refill(now);
    if (left_ > 0) return Duration(0);
    return Duration(1 - left_ * 1000 / rate_);
  }

 private:
  void refill(Time now) {
    const std::int64_t passed_ms = (now - last_).count();
    left_ = std::min(left_ + passed_ms * rate_ / 1000, burst_ms * rate_ / 1000);
    last_ = now;
  }

  static constexpr std::int64_t burst_ms = 2'000;
  std::int64_t rate_;
  std::int64_t left_ = burst_ms * rate_ / 1000;
  Time last_ = Time(Duration(0));
};

}  // namespace dt::shim
