// Time as the brains see it. The clock has no now() on purpose: code that is handed a Time can
// compare and add, but cannot read a clock. A Time is milliseconds since the Unix epoch on the
// master and milliseconds of CLOCK_BOOTTIME on agents and shims; the two are never compared.
#pragma once

#include <chrono>
#include <cstdint>

namespace dt {

struct ClusterClock {
  using rep = std::chrono::milliseconds::rep;
  using period = std::chrono::milliseconds::period;
  using duration = std::chrono::milliseconds;
  using time_point = std::chrono::time_point<ClusterClock>;
  static constexpr bool is_steady = true;
};

using Duration = ClusterClock::duration;
using Time = ClusterClock::time_point;

inline constexpr Time never = Time::max();

inline std::int64_t to_ms(Time time) { return time.time_since_epoch().count(); }
inline Time from_ms(std::int64_t ms) { return Time(Duration(ms)); }

}  // namespace dt
