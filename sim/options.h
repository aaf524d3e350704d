// The weather of one run, drawn from its seed: shape of the cluster, lease, length of the storm and
// how often something goes wrong. Swarm testing: each seed has a mix of its own.
#pragma once

#include <array>
#include <cstdint>

#include "base/rng.h"
#include "base/time.h"

namespace dt::sim {

inline constexpr int node_count = 2;

enum class Fault {
  cut,         // a wire, both ways or one
  stall,       // a wire becomes slow, then is cut
  lost_calls,  // calls and replies vanish
  agent_crash,
  agent_leaves,  // orderly
  shim_kill,
  rank_kill,
  power_loss,
  slow_disk,  // then perhaps a power loss
  master_crash,
  database_away,
  commit_unknown,
  slow_rank,
  rank_reconnects,
};
inline constexpr int fault_kinds = 14;

struct Options {
  std::uint64_t seed = 1;
  Duration lease{60'000};
  std::array<int, node_count> slots{2, 2};
  Duration storm{2'400'000};  // faults happen until then
  Duration mean_gap{40'000};  // between two faults
  std::array<int, fault_kinds> weights{};
};

inline Options draw_options(std::uint64_t seed, Duration storm) {
  Rng dice(seed * 7919 + 17);
  constexpr std::array<std::int64_t, 5> leases{0, 20'000, 30'000, 60'000, 180'000};
  Options options{.seed = seed, .storm = storm};
  const auto lease = leases[static_cast<std::size_t>(dice.between(0, 9)) % leases.size()];
  options.lease = Duration(dice.chance(50) ? 30'000 : lease);
  for (int& slots : options.slots) slots = static_cast<int>(dice.between(1, 3));
  if (dice.chance(50)) options.slots[1] = options.slots[0];  // so that gangs fit over both
  options.mean_gap = Duration(dice.between(10'000, 80'000));
  for (int& weight : options.weights) {
    weight = dice.chance(25) ? 0 : static_cast<int>(dice.between(1, 10));
  }
  // Never an empty mix, and always some of what only a long chain of events shows.
  options.weights[static_cast<std::size_t>(Fault::cut)] += 2;
  options.weights[static_cast<std::size_t>(Fault::stall)] += 4;
  return options;
}

}  // namespace dt::sim
