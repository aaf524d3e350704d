// The lease: how long a node may train without the master's word (DESIGN §4). It is counted from
// when the agent *sent* the heartbeat that was answered, on a clock that runs through suspend, so
// the node always gives up before the master does. Pure; times are CLOCK_BOOTTIME.
#pragma once

#include <cstdint>
#include <map>

#include "base/time.h"
#include "core/agent/messages.h"

namespace dt::core {

inline constexpr Duration kill_grace{10'000};
inline constexpr Duration give_up_slack{10'000};

// When the master gives an agent's allocations up, after the agent's last word; Duration::max()
// for lease 0, which never ends.
Duration give_up_after(Duration lease);
// How often an agent speaks: min(10 s, lease/6).
Duration heartbeat_period(Duration lease);

class Lease {
 public:
  void heartbeat_sent(std::int64_t number, Time now);
  // The deadline this answer proves. An answer to an older heartbeat than one already answered
  // changes nothing; a newer one never shortens the deadline, unless the master's lease did.
  void answered(const Answer& answer);

  // Before a heartbeat is answered nothing says how long one may train; unless leases never end.
  bool is_known() const { return known_; }
  bool expires() const { return deadline_ != never; }
  Time deadline() const { return deadline_; }  // ranks are killed here
  Time checkpoint_at() const;                  // ranks are asked to checkpoint: at 2/3 of it
  Duration length() const { return length_; }

 private:
  std::map<std::int64_t, Time> sent_;  // heartbeats that may still be answered
  Duration length_{0};
  Time deadline_ = never;
  bool known_ = false;
};

}  // namespace dt::core
