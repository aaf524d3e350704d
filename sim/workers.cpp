#include "sim/workers.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <new>
#include <vector>

#include "base/verify.h"

namespace dt::sim {
namespace {

constexpr int cpu_seconds_most = 120;  // of one seed
constexpr std::size_t failure_bytes_most = 2000;

// What all processes see.
struct Shared {
  std::atomic<std::uint64_t> first_failed{~std::uint64_t{0}};
};

struct Summary {  // what a process sends home
  std::int64_t events = 0;
  std::int64_t virtual_ms = 0;
  Coverage coverage;
  std::uint64_t at = 0;  // the seed that it is at, or that failed
  bool failed = false;
  std::array<char, failure_bytes_most> failure{};
};

struct Worker {
  pid_t pid = 0;
  Summary* summary = nullptr;
};

template <class Thing>
Thing* share() {
  void* place =
      ::mmap(nullptr, sizeof(Thing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  VERIFY(place != MAP_FAILED, "no shared memory of ", sizeof(Thing), " bytes");
  return new (place) Thing();
}

template <class Thing>
void unshare(Thing* thing) {
  ::munmap(thing, sizeof(Thing));
}

void limit_cpu_time() {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = cpu_seconds_most, .tv_usec = 0}};
  ::setitimer(ITIMER_VIRTUAL, &limit, nullptr);  // SIGVTALRM ends the process
}

void note(const SeedResult& result, Shared& shared, Summary& summary) {
  summary.events += result.events;
  summary.virtual_ms += result.virtual_time.count();
  summary.coverage.add(result.coverage);
  if (result.failure.empty()) return;
  summary.failed = true;
  const std::size_t size = std::min(result.failure.size(), failure_bytes_most - 1);
  std::copy_n(result.failure.begin(), size, summary.failure.begin());
  std::uint64_t known = shared.first_failed.load();
  while (result.seed < known && !shared.first_failed.compare_exchange_weak(known, result.seed)) {
  }
}

[[noreturn]] void work(std::uint64_t first, std::uint64_t last, int stride, const RunSeed& run,
                       Shared& shared, Summary& summary) {
  for (std::uint64_t seed = first; seed <= last; seed += static_cast<std::uint64_t>(stride)) {
    if (seed > shared.first_failed.load()) break;
    summary.at = seed;
    limit_cpu_time();
    note(run(seed), shared, summary);
    if (summary.failed) break;
  }
  ::_exit(0);
}

SeedResult result_of(const Worker& worker, int status) {
  const Summary& summary = *worker.summary;
  SeedResult result{.seed = summary.at,
                    .failure = {},
                    .events = summary.events,
                    .virtual_time = Duration(summary.virtual_ms),
                    .coverage = summary.coverage};
  if (summary.failed) result.failure = summary.failure.data();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return result;
  const bool endless = WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM;
  result.failure =
      cat("SEED ", summary.at, " FAILED: ",
          endless ? "a brain does not come to an end" : "a brain broke one of its own invariants");
  return result;
}

std::optional<SeedResult> run_here(std::uint64_t first, std::uint64_t last, const RunSeed& run,
                                   const TakeResult& take) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const SeedResult result = run(seed);
    take(result);
    if (!result.failure.empty()) return result;
  }
  return std::nullopt;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) VERIFY(errno == EINTR, "no child ", pid);
  return status;
}

}  // namespace

std::optional<SeedResult> run_in_processes(std::uint64_t first, std::uint64_t last, int processes,
                                           const RunSeed& run, const TakeResult& take) {
  if (processes <= 0) return run_here(first, last, run, take);
  auto* shared = share<Shared>();
  std::vector<Worker> workers;
  for (int i = 0; i < processes; ++i) {
    Worker worker{.summary = share<Summary>()};
    worker.pid = ::fork();
    VERIFY(worker.pid >= 0, "no process for the seeds");
    if (worker.pid == 0) {
      const auto own_first = first + static_cast<std::uint64_t>(i);
      work(own_first, last, processes, run, *shared, *worker.summary);
    }
    workers.push_back(worker);
  }
  std::optional<SeedResult> failed;
  for (const Worker& worker : workers) {
    const int status = wait_for(worker.pid);
    SeedResult result = result_of(worker, status);
    take(result);
    const bool first_so_far = !failed || result.seed < failed->seed;
    if (!result.failure.empty() && first_so_far) failed = std::move(result);
    unshare(worker.summary);
  }
  unshare(shared);
  return failed;
}

}  // namespace dt::sim
