#include "core/agent/lease.h"

#include <algorithm>

namespace dt::core {

namespace {

constexpr Duration longest_period{10'000};
constexpr Duration shortest_period{50};  // a lease of milliseconds must not become a busy loop

}  // namespace

Duration give_up_after(Duration lease) {
  if (lease == Duration(0)) return Duration::max();
  return lease + kill_grace + give_up_slack;
}

Duration heartbeat_period(Duration lease) {
  if (lease == Duration(0)) return longest_period;
  return std::clamp(lease / 6, shortest_period, longest_period);
}

void Lease::heartbeat_sent(std::int64_t number, Time now) { sent_.emplace(number, now); }

void Lease::answered(const Answer& answer) {
  const auto found = sent_.find(answer.heartbeat);
  known_ = known_ || found != sent_.end() || answer.lease == Duration(0);
  if (found == sent_.end()) return;  // pushed, or older than one already answered
  length_ = answer.lease;
  deadline_ = length_ == Duration(0) ? never : found->second + length_;
  sent_.erase(sent_.begin(), std::next(found));
}

Time Lease::checkpoint_at() const { return expires() ? deadline_ - length_ / 3 : never; }

}  // namespace dt::core
