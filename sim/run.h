// Runs seeds of the simulator and prints what dt-sim prints: a line for the first seed that failed,
// or how many passed and, where it was asked for, the table of coverage. Seeds are spread over
// processes, so that a brain that ends its process is a failure of one seed. The text depends on
// the seeds alone.
#pragma once

#include <cstdint>
#include <ostream>

#include "base/time.h"
#include "sim/options.h"

namespace dt::sim {

struct RunOptions {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  bool trace = false;  // of one process
  int processes = 1;
  std::int64_t least_hits = 0;  // in each cell of the table; 0: not asked for
  Scale scale;
};

struct RunTotals {
  std::int64_t events = 0;
  Duration virtual_time{0};
};

// False: a seed failed; it is the last line printed.
bool run_seeds(const RunOptions& options, std::ostream& out, RunTotals& totals);

}  // namespace dt::sim
