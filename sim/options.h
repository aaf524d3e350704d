// The weather of one run, drawn from its seed: pools and nodes, leases and timeouts, the length of
// the storm and how often what goes wrong. Swarm testing: each seed has a mix of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/time.h"
#include "core/master/master.h"

namespace dt::sim {

enum class Fault {
  cut,         // a wire, both ways or one
  stall,       // a wire becomes slow, then is cut
  lost_calls,  // calls and replies vanish
  agent_crash,
  agent_leaves,     // orderly
  agent_stopped,    // as by SIGSTOP: it hears everything late
  agent_twin,       // another machine uses its id
  agent_forgotten,  // a machine loses power for long, and people forget its agent
  shim_kill,
  rank_kill,
  rank_slow,
  rank_reconnects,
  rank_unkillable,  // hangs in the kernel: not even SIGKILL ends it for a while
  power_loss,
  slow_disk,   // then perhaps a power loss
  slot_fault,  // a GPU is not well for a while
  master_crash,
  master_stopped,
  database_away,
  database_slow,
  commit_unknown,
  clock_jump,  // the wall clock is set, and the master starts anew
};
inline constexpr int fault_kinds = 22;
const char* to_text(Fault fault);

// How large a world is.
struct Scale {
  int agents = 60;
  int jobs = 500;
  Duration storm{1'200'000};  // faults happen until then
};

struct NodeShape {
  std::string pool;
  int slots = 1;
};

struct Options {
  std::uint64_t seed = 1;
  Scale scale;
  core::MasterOptions master;
  std::vector<NodeShape> nodes;
  Duration mean_gap{40'000};  // between two faults
  std::array<int, fault_kinds> weights{};
  Duration keep_acknowledged{600'000};  // of spools, on the nodes
  int twins = 1;                        // machines that may take another's id
};

Options draw_options(std::uint64_t seed, const Scale& scale);

}  // namespace dt::sim
