#include "core/sched/queue.h"

#include <algorithm>

#include "base/cat.h"
#include "core/sched/attained.h"
#include "core/sched/fitting.h"

namespace dt::core {

bool is_pending(const SlotRequest& request) { return request.placed.empty() && !request.released; }

std::string plural(int count, const char* noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

std::size_t add_reason(Scheduled& answer, std::string text) {
  answer.reasons.push_back(std::move(text));
  return answer.reasons.size() - 1;
}

std::size_t UnfitReasons::of(const SlotRequest& request, int shape) {
  if (!request.blocked.empty()) return add_reason(answer_, worded(request));
  const auto [known, is_new] = known_.emplace(shape, answer_.reasons.size());
  if (is_new) add_reason(answer_, worded(request));
  return known->second;
}

std::string UnfitReasons::worded(const SlotRequest& request) const {
  std::string want = request.slots == 0 ? "a zero-slot place" : plural(request.slots, "slot");
  if (request.slots == 1 && request.slot_milli < whole_slot) {
    want = cat(request.slot_milli, " thousandths of a slot");
  }
  std::string models;
  for (const std::string& model : request.models)
    models += cat(models.empty() ? "" : " or ", model);
  if (!models.empty()) want += cat(" of ", models);
  if (request.single_node) want += " on one node";
  if (pool_.agents.empty()) return cat("needs ", want, "; the pool has no node");
  const bool zero_slot = request.slots == 0;
  int total = now_.slots, free = now_.empty, largest = now_.largest;
  if (zero_slot) {
    total = largest = 0;
    free = now_.zero_slot_places;
    for (const AgentCapacity& agent : pool_.agents) {
      total += agent.max_zero_slot;
      largest = std::max(largest, agent.max_zero_slot);
    }
  }
  if (!fits_when_idle(request, pool_.agents, pool_.config)) {
    return cat("needs ", want, "; never fits this pool: ", plural(now_.nodes, "node"), " with ",
               total, " in all, the largest with ", largest,
               request.blocked.empty() ? "" : cat(", ", request.blocked.size(), " excluded"));
  }
  return cat("needs ", want, "; ", free, " of ", total, " are free");
}

std::vector<std::size_t> ranked(const PoolState& pool, const std::vector<int>& levels) {
  // Sorted apart from the requests, which are large: a queue of 100,000 would miss the cache.
  struct Rank {
    int level;
    double position;
    std::int64_t submitted, requested;
    std::size_t request;
  };
  std::vector<Rank> ranks;
  ranks.reserve(pool.requests.size());
  for (std::size_t i = 0; i < pool.requests.size(); ++i) {
    const SlotRequest& request = pool.requests[i];
    ranks.push_back(
        {levels[i], request.queue_position, request.job_submitted, request.requested, i});
  }
  std::sort(ranks.begin(), ranks.end(), [&](const Rank& a, const Rank& b) {
    if (a.level != b.level) return a.level < b.level;
    if (a.position != b.position) return a.position < b.position;
    if (a.submitted != b.submitted) return a.submitted < b.submitted;
    if (a.requested != b.requested) return a.requested < b.requested;
    return pool.requests[a.request].id < pool.requests[b.request].id;
  });
  std::vector<std::size_t> order;
  order.reserve(ranks.size());
  for (const Rank& rank : ranks) order.push_back(rank.request);
  return order;
}

std::vector<std::size_t> serving_order(const PoolState& pool) {
  const SchedulerKind kind = pool.config.scheduler;
  const AttainedLevels ladder(pool);
  std::vector<int> levels;
  levels.reserve(pool.requests.size());
  for (const SlotRequest& request : pool.requests) {
    if (kind == SchedulerKind::attained) {
      levels.push_back(ladder.at(request));
    } else {
      levels.push_back(kind == SchedulerKind::priority ? request.priority : 0);
    }
  }
  return ranked(pool, levels);
}

const char* to_text(JobInfo::State state) {
  switch (state) {
    case JobInfo::State::queued: return "QUEUED";
    case JobInfo::State::scheduled_backfilled: return "SCHEDULED_BACKFILLED";
    case JobInfo::State::scheduled: return "SCHEDULED";
  }
  return "";
}

std::vector<JobInfo> job_queue(const PoolState& pool) {
  std::vector<JobInfo> jobs;
  std::map<std::string, std::size_t> index;
  for (const std::size_t i : serving_order(pool)) {
    const SlotRequest& request = pool.requests[i];
    const auto [found, is_new] = index.emplace(request.job, jobs.size());
    if (is_new) {
      const bool ranked = pool.config.scheduler != SchedulerKind::fair_share;
      jobs.push_back({.job = request.job, .ahead = ranked ? static_cast<int>(jobs.size()) : -1});
    }
    JobInfo& job = jobs[found->second];
    job.requested += request.slots;
    if (!is_running(request)) continue;
    job.allocated += request.slots;
    job.state = std::max(job.state, request.backfilled ? JobInfo::State::scheduled_backfilled
                                                       : JobInfo::State::scheduled);
  }
  return jobs;
}

}  // namespace dt::core
