// How long one pass of the priority scheduler takes: the loop of the master waits for it.
#include "base/cat.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "core/sched/priority.h"

namespace {

using namespace dt;

// `nodes` nodes of eight slots, two thirds of them busy, and `waiting` requests of one to eight.
core::PoolState busy_pool(int nodes, int waiting, bool preemption) {
  Rng rng(1);
  core::PoolState pool;
  pool.config.preemption = preemption;
  for (int i = 0; i < nodes; ++i) {
    const AgentId id{cat("node-", i)};
    const bool busy = i % 3 != 0;
    pool.agents.push_back({.id = id, .slots = 8, .used = busy ? 8 : 0});
    if (!busy) continue;
    core::SlotRequest running{.id = cat("running-", i), .slots = 8, .priority = 50};
    running.placed = {{id, 8}};
    pool.requests.push_back(running);
  }
  for (int i = 0; i < waiting; ++i) {
    pool.requests.push_back({.id = cat("waiting-", i),
                             .slots = 1 << rng.between(0, 3),
                             .priority = static_cast<int>(rng.between(40, 60)),
                             .requested = i});
  }
  return pool;
}

void measure(int nodes, int waiting, bool preemption) {
  const core::PoolState pool = busy_pool(nodes, waiting, preemption);
  std::size_t started = 0;
  const double taken_ms =
      bench::median_ms([&] { started = core::schedule_by_priority(pool).start.size(); });
  const char* mode = preemption ? "preempting" : "plain";
  bench::print_figure(cat("sched.", mode, ".", nodes, "_nodes.", waiting, "_waiting"), taken_ms,
                      "ms");
  if (started == 0) std::cerr << "nothing was started: the figure means nothing\n";
}

}  // namespace

int main() {
  measure(10, 100, false);
  measure(100, 1000, false);
  measure(100, 1000, true);
  measure(1000, 10000, false);
}
