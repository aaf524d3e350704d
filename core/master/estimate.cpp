#include "core/master/estimate.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/master/allocations.h"
#include "core/master/pool.h"

namespace dt::core {
namespace {

struct Outlook {                                   // of one pool
  int free = 0;                                    // slots
  std::vector<std::pair<std::int64_t, int>> ends;  // when (Unix ms), slots
  int wanted = 0;                                  // by the jobs looked at so far
};

// Of a trial that has run for `ran` in all and reported this fraction: when it is done.
std::int64_t end_of(Time now, Duration ran, double fraction) {
  const double left = static_cast<double>(ran.count()) * (1 - fraction) / fraction;
  return to_ms(now) + static_cast<std::int64_t>(left);
}

void add_ends(const Book& book, Time now, std::map<std::string, Outlook>& pools) {
  for (const auto& [id, memory] : book.allocations) {
    const AllocationRow& row = memory.row;
    const auto trial = book.trials.find(row.trial);
    if (!is_attempt_open(book, id) || trial == book.trials.end()) continue;
    const double fraction = trial->second.row.progress;
    if (row.started_ms == 0 || fraction <= 0) continue;
    const Duration ran = trial->second.served + (now - from_ms(row.started_ms));
    const ResourcesConfig& resources = book.experiments.at(row.experiment).config.resources;
    pools[resources.resource_pool].ends.emplace_back(end_of(now, ran, fraction),
                                                     resources.slots_per_trial);
  }
  for (auto& [name, pool] : pools) std::sort(pool.ends.begin(), pool.ends.end());
}

void add_free_slots(const Book& book, std::map<std::string, Outlook>& pools) {
  for (const auto& [id, agent] : book.agents) {
    if (agent.link == 0 || agent.row.state != AgentState::enabled) continue;
    pools[agent.row.pool].free += static_cast<int>(free_slots(book, id).size());
  }
}

std::int64_t start_of(const Outlook& pool, int slots, Time now) {
  int free = pool.free;
  if (free >= slots) return to_ms(now);
  for (const auto& [end_ms, given_back] : pool.ends) {
    free += given_back;
    if (free >= slots) return end_ms;
  }
  return 0;
}

}  // namespace

void estimate_starts(const Book& book, Time now, std::vector<Job>& queue) {
  std::map<std::string, Outlook> pools;
  add_ends(book, now, pools);
  add_free_slots(book, pools);
  for (Job& job : queue) {
    if (job.trials_waiting == 0) continue;
    Outlook& pool = pools[job.pool];
    job.estimated_start_ms =
        start_of(pool, pool.wanted + job.slots_wanted / job.trials_waiting, now);
    pool.wanted += job.slots_wanted;
  }
}

}  // namespace dt::core
