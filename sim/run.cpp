#include "sim/run.h"

#include "sim/world.h"

namespace dt::sim {

bool run_seeds(const RunOptions& options, std::ostream& out, RunTotals& totals) {
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    totals.seed = seed;
    World world(draw_options(seed, options.storm), options.trace ? &out : nullptr);
    const Time start = world.queue.now();
    const std::string failure = world.run();
    totals.events += world.queue.events();
    totals.virtual_time += world.queue.now() - start;
    if (failure.empty()) continue;
    out << failure << "; reproduce: dt-sim run --seeds " << seed << ".." << seed << " --trace\n";
    return false;
  }
  out << options.last - options.first + 1 << " seeds passed\n";
  return true;
}

}  // namespace dt::sim
