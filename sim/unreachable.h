// The cells of the coverage table that no run can reach, each with its reason. A hit on one of them
// fails the run, so the list stays true.
#pragma once

#include <array>

#include "sim/coverage.h"

namespace dt::sim {

struct Unreachable {
  Fault fault;
  LifeState state;
  const char* reason;
};

inline constexpr const char* on_no_node =
    "it strikes a node, and a trial without attempt is on none";
inline constexpr const char* no_rank_yet = "no rank lives before the start";
inline constexpr const char* no_rank_any_more =
    "an attempt settles when its ranks have ended or its node was given up";

inline constexpr std::array unreachable{
    Unreachable{Fault::cut, LifeState::queued, on_no_node},
    Unreachable{Fault::cut, LifeState::paused, on_no_node},
    Unreachable{Fault::stall, LifeState::queued, on_no_node},
    Unreachable{Fault::stall, LifeState::paused, on_no_node},
    Unreachable{Fault::lost_calls, LifeState::queued, on_no_node},
    Unreachable{Fault::lost_calls, LifeState::paused, on_no_node},
    Unreachable{Fault::agent_crash, LifeState::queued, on_no_node},
    Unreachable{Fault::agent_crash, LifeState::paused, on_no_node},
    Unreachable{Fault::agent_leaves, LifeState::queued, on_no_node},
    Unreachable{Fault::agent_leaves, LifeState::paused, on_no_node},
    Unreachable{Fault::agent_stopped, LifeState::queued, on_no_node},
    Unreachable{Fault::agent_stopped, LifeState::paused, on_no_node},
    Unreachable{Fault::agent_twin, LifeState::queued, on_no_node},
    Unreachable{Fault::agent_twin, LifeState::paused, on_no_node},
    Unreachable{Fault::agent_forgotten, LifeState::queued, on_no_node},
    Unreachable{Fault::agent_forgotten, LifeState::paused, on_no_node},
    Unreachable{Fault::shim_kill, LifeState::queued, on_no_node},
    Unreachable{Fault::shim_kill, LifeState::paused, on_no_node},
    Unreachable{Fault::rank_kill, LifeState::queued, on_no_node},
    Unreachable{Fault::rank_kill, LifeState::paused, on_no_node},
    Unreachable{Fault::rank_slow, LifeState::queued, on_no_node},
    Unreachable{Fault::rank_slow, LifeState::paused, on_no_node},
    Unreachable{Fault::rank_reconnects, LifeState::queued, on_no_node},
    Unreachable{Fault::rank_reconnects, LifeState::paused, on_no_node},
    Unreachable{Fault::rank_unkillable, LifeState::queued, on_no_node},
    Unreachable{Fault::rank_unkillable, LifeState::paused, on_no_node},
    Unreachable{Fault::power_loss, LifeState::queued, on_no_node},
    Unreachable{Fault::power_loss, LifeState::paused, on_no_node},
    Unreachable{Fault::slow_disk, LifeState::queued, on_no_node},
    Unreachable{Fault::slow_disk, LifeState::paused, on_no_node},
    Unreachable{Fault::slot_fault, LifeState::queued, on_no_node},
    Unreachable{Fault::slot_fault, LifeState::paused, on_no_node},
    Unreachable{Fault::rank_kill, LifeState::preparing, no_rank_yet},
    Unreachable{Fault::rank_slow, LifeState::preparing, no_rank_yet},
    Unreachable{Fault::rank_reconnects, LifeState::preparing, no_rank_yet},
    Unreachable{Fault::rank_unkillable, LifeState::preparing, no_rank_yet},
    Unreachable{Fault::shim_kill, LifeState::settling, no_rank_any_more},
    Unreachable{Fault::rank_kill, LifeState::settling, no_rank_any_more},
    Unreachable{Fault::rank_slow, LifeState::settling, no_rank_any_more},
    Unreachable{Fault::rank_reconnects, LifeState::settling, no_rank_any_more},
    Unreachable{Fault::rank_unkillable, LifeState::settling, no_rank_any_more},
};

}  // namespace dt::sim
