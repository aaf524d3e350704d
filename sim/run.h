// Runs seeds of the simulator and prints what dt-sim prints: one line for a seed that failed, and
// at the end how many passed. The text depends on the seeds alone.
#pragma once

#include <cstdint>
#include <ostream>

#include "base/time.h"

namespace dt::sim {

struct RunOptions {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  bool trace = false;
  Duration storm{2'400'000};
};

struct RunTotals {
  std::uint64_t seed = 0;  // the one that runs
  std::int64_t events = 0;
  Duration virtual_time{0};
};

// False: a seed failed; it is the last line printed.
bool run_seeds(const RunOptions& options, std::ostream& out, RunTotals& totals);

}  // namespace dt::sim
