// What decisions cost: the loop of the master waits for them.
#include <ctime>

#include "base/cat.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "bench/sched.h"
#include "core/sched/schedule.h"

namespace dt::bench {
namespace {

constexpr int passes = 9;

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
                             .job = cat("job-", i),
                             .slots = 1 << rng.between(0, 3),
                             .priority = static_cast<int>(rng.between(40, 60)),
                             .requested = i});
  }
  return pool;
}

// All idle, and as many requests of one size as fit.
core::PoolState idle_pool(int nodes, int slots, core::SchedulerKind kind, core::FitPolicy fit) {
  core::PoolState pool;
  pool.config = {.scheduler = kind, .fit = fit};
  for (int i = 0; i < nodes; ++i) pool.agents.push_back({.id = {cat("node-", i)}, .slots = 8});
  for (int i = 0; i < nodes * 8 / slots; ++i) {
    pool.requests.push_back(
        {.id = cat("task-", i), .job = cat("job-", i), .slots = slots, .requested = i});
  }
  return pool;
}

void time_pass(int nodes, int waiting, bool preemption) {
  const core::PoolState pool = busy_pool(nodes, waiting, preemption);
  std::size_t started = 0;
  const std::clock_t cpu = std::clock();
  const double taken_ms = median_ms([&] { started = core::schedule(pool).start.size(); }, passes);
  const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / passes;
  const std::string name = cat("sched.pass.", preemption ? "preempting" : "plain", ".", nodes,
                               "_nodes.", waiting, "_waiting");
  print_figure(name, taken_ms, "ms");
  print_figure(name + ".cpu", cpu_ms, "ms");  // without what else the machine does
  if (started == 0) std::cerr << "nothing was started: the figure means nothing\n";
}

void time_placements(int slots, core::SchedulerKind kind, core::FitPolicy fit) {
  const core::PoolState pool = idle_pool(5000, slots, kind, fit);
  std::size_t started = 0;
  const double taken_ms = median_ms([&] { started = core::schedule(pool).start.size(); }, 3);
  print_figure(
      cat("sched.placements.", to_text(kind), ".", to_text(fit), ".5000_nodes.", slots, "_slots"),
      static_cast<double>(started) / taken_ms * 1000, "per_second");
  if (started != pool.requests.size()) std::cerr << "only " << started << " were started\n";
}

// What one more job in the queue takes: its request, and its share of the answer.
void state_memory() {
  const core::PoolState pool = busy_pool(1, 1, false);
  const core::SlotRequest& request = pool.requests.back();
  const auto text_bytes = [](const std::string& text) {
    return text.capacity() > 15 ? text.capacity() + 1 : 0;
  };
  const std::size_t bytes = sizeof request + text_bytes(request.id) + text_bytes(request.job) +
                            sizeof(core::Scheduled::Waiting);
  print_figure("sched.memory.queued_job", static_cast<double>(bytes), "bytes");
}

}  // namespace

void time_scheduler() {
  for (const bool preemption : {false, true}) {
    time_pass(10, 100, preemption);
    time_pass(100, 1000, preemption);
    time_pass(1000, 10'000, preemption);
    time_pass(5000, 100'000, preemption);
  }
  for (const auto fit : {core::FitPolicy::best, core::FitPolicy::fragmentation}) {
    for (const int slots : {1, 8, 64}) time_placements(slots, core::SchedulerKind::priority, fit);
  }
  for (const auto kind : {core::SchedulerKind::fair_share, core::SchedulerKind::fifo,
                          core::SchedulerKind::backfill, core::SchedulerKind::attained}) {
    time_placements(1, kind, core::FitPolicy::best);
  }
  state_memory();
}

}  // namespace dt::bench
