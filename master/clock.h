// The master's clock: Unix milliseconds that never go back. The wall clock is read once, at start;
// from then on a steady clock counts, so setting the wall clock cannot move a deadline. Nor does a
// restart after it was set back: the clock goes on from what the database remembers.
#pragma once

#include <chrono>

#include "base/time.h"

namespace dt::master {

class Clock {
 public:
  Clock()
      : wall_at_start_(std::chrono::duration_cast<Duration>(
            std::chrono::system_clock::now().time_since_epoch())),
        steady_at_start_(std::chrono::steady_clock::now()) {}

  Time now() const {
    const auto passed = std::chrono::steady_clock::now() - steady_at_start_;
    return Time(wall_at_start_ + std::chrono::duration_cast<Duration>(passed));
  }

  // Before other threads use it.
  void start_no_earlier_than(Time time) {
    if (now() < time) wall_at_start_ += time - now();
  }

  std::chrono::steady_clock::time_point steady(Time time) const {
    return steady_at_start_ + (time.time_since_epoch() - wall_at_start_);
  }

 private:
  Duration wall_at_start_;
  std::chrono::steady_clock::time_point steady_at_start_;
};

}  // namespace dt::master
