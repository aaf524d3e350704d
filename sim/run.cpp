#include "sim/run.h"

#include <sstream>
#include <string>
#include <vector>

#include "sim/workers.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

SeedResult run_seed(std::uint64_t seed, const RunOptions& options, std::ostream* trace) {
  World world(draw_options(seed, options.scale), trace);
  const Time start = world.queue.now();
  SeedResult result{.seed = seed, .failure = world.run()};
  result.events = world.queue.events();
  result.virtual_time = world.queue.now() - start;
  result.coverage = world.coverage;
  return result;
}

std::string how_to_reproduce(std::uint64_t seed, const Scale& scale) {
  const Scale usual;
  std::string text = cat("; reproduce: dt-sim run --seeds ", seed, "..", seed);
  if (scale.agents != usual.agents) text += cat(" --agents ", scale.agents);
  if (scale.jobs != usual.jobs) text += cat(" --jobs ", scale.jobs);
  if (scale.storm != usual.storm) text += cat(" --seconds ", scale.storm.count() / 1000);
  return text + " --trace";
}

}  // namespace

bool run_seeds(const RunOptions& options, std::ostream& out, RunTotals& totals) {
  Coverage coverage;
  const auto run = [&](std::uint64_t seed) {
    return run_seed(seed, options, options.trace ? &out : nullptr);
  };
  const auto take = [&](const SeedResult& result) {
    totals.events += result.events;
    totals.virtual_time += result.virtual_time;
    coverage.add(result.coverage);
  };
  const int processes = options.trace ? 0 : options.processes;
  const auto failed = run_in_processes(options.first, options.last, processes, run, take);
  if (failed) {
    out << failed->failure << how_to_reproduce(failed->seed, options.scale) << '\n';
    return false;
  }
  out << options.last - options.first + 1 << " seeds passed\n";
  if (options.least_hits == 0) return true;
  coverage.print(out);
  return coverage.complain(options.least_hits, out) == 0;
}

}  // namespace dt::sim
