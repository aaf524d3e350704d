#include <algorithm>
#include <chrono>
#include <queue>

#include "base/cat.h"
#include "base/verify.h"
#include "bench/sched_philly.h"
#include "core/sched/schedule.h"

namespace dt::bench {
namespace {

constexpr double ms_per_hour = 3'600'000;

class Queue {
 public:
  Queue(const std::vector<QueuedJob>& jobs, const std::vector<core::AgentCapacity>& agents,
        const core::PoolConfig& config, Duration lost)
      : jobs_(jobs), lost_(lost), runs_(jobs.size()) {
    pool_.config = config;
    pool_.agents = agents;
  }

  QueueResult run() {
    std::size_t next = 0;
    while (next < jobs_.size() || !pool_.requests.empty()) {
      Time now = look_again_;
      if (next < jobs_.size()) now = std::min(now, jobs_[next].submitted);
      while (!ends_.empty() && is_stale(ends_.top())) ends_.pop();
      if (!ends_.empty()) now = std::min(now, ends_.top().at);
      VERIFY(now != never, pool_.requests.size(), " jobs will never start");
      pool_.now = now;
      while (!ends_.empty() && ends_.top().at <= now) {
        if (!is_stale(ends_.top())) complete(ends_.top().job);
        ends_.pop();
      }
      for (; next < jobs_.size() && jobs_[next].submitted <= now; ++next) submit(next);
      while (pass()) {
      }
    }
    return summed_up();
  }

 private:
  struct Run {
    Duration left{};
    int number = 0;
  };
  struct End {
    Time at;
    std::size_t job;
    int run;
    bool operator>(const End& other) const {
      return std::tie(at, job) > std::tie(other.at, other.job);
    }
  };

  bool is_stale(const End& end) const { return runs_[end.job].number != end.run; }
  static std::size_t job_of(const core::SlotRequest& request) {
    return static_cast<std::size_t>(request.requested);
  }

  void submit(std::size_t job) {
    runs_[job].left = jobs_[job].runs;
    core::SlotRequest request{.id = cat("job", job), .job = cat("job", job)};
    request.slots = jobs_[job].slots;
    request.queue_position = static_cast<double>(job);
    request.requested = static_cast<std::int64_t>(job);
    request.since = pool_.now;
    request.expected = jobs_[job].runs;
    pool_.requests.push_back(std::move(request));
  }

  void complete(std::size_t job) {
    const auto request = std::find_if(pool_.requests.begin(), pool_.requests.end(),
                                      [&](const auto& one) { return job_of(one) == job; });
    free(*request);
    *request = std::move(pool_.requests.back());
    pool_.requests.pop_back();
    ++runs_[job].number;
    hours_.push_back(static_cast<double>((pool_.now - jobs_[job].submitted).count()) / ms_per_hour);
  }

  bool pass() {
    const auto begin = std::chrono::steady_clock::now();
    const core::Scheduled scheduled = core::schedule(pool_);
    taken_ += std::chrono::steady_clock::now() - begin;
    ++result_.passes;
    look_again_ = scheduled.look_again;
    for (const auto& start : scheduled.start) {
      this->start(pool_.requests[start.request], start.placements);
    }
    for (const std::size_t request : scheduled.release) preempt(pool_.requests[request]);
    return !scheduled.start.empty() || !scheduled.release.empty();
  }

  void start(core::SlotRequest& request, const std::vector<core::Placement>& placements) {
    int slots = 0;
    for (const auto& placement : placements) slots += placement.slots;
    result_.partial_gangs += slots != request.slots;
    request.placed = placements;
    hold(request, 1);
    request.waited = pool_.now - request.since;
    request.since = pool_.now;
    Run& run = runs_[job_of(request)];
    ends_.push({pool_.now + run.left, job_of(request), ++run.number});
  }

  void preempt(core::SlotRequest& request) {
    Run& run = runs_[job_of(request)];
    run.left += lost_ - (pool_.now - request.since);
    ++run.number;
    request.attained += pool_.now - request.since;
    request.expected = run.left;
    request.since = pool_.now;
    free(request);
    ++result_.preemptions;
  }

  void free(core::SlotRequest& request) {
    hold(request, -1);
    request.placed.clear();
  }

  void hold(const core::SlotRequest& request, int sign) {
    for (const core::Placement& placement : request.placed) {
      for (core::AgentCapacity& agent : pool_.agents) {
        if (agent.id != placement.agent) continue;
        agent.used += sign * placement.slots;
        result_.partial_gangs += agent.used > agent.slots;
      }
    }
  }

  QueueResult summed_up() {
    double sum = 0;
    for (const double hours : hours_) sum += hours;
    std::sort(hours_.begin(), hours_.end());
    result_.mean_hours = sum / static_cast<double>(hours_.size());
    result_.p99_hours = hours_[(hours_.size() * 99 + 99) / 100 - 1];
    result_.pass_us = std::chrono::duration<double, std::micro>(taken_).count() /
                      static_cast<double>(result_.passes);
    return result_;
  }

  const std::vector<QueuedJob>& jobs_;
  const Duration lost_;
  core::PoolState pool_;
  std::vector<Run> runs_;  // of each job
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<double> hours_;  // of completed jobs
  Time look_again_ = never;
  std::chrono::steady_clock::duration taken_{};
  QueueResult result_;
};

}  // namespace

QueueResult run_queue(const std::vector<QueuedJob>& jobs,
                      const std::vector<core::AgentCapacity>& agents,
                      const core::PoolConfig& config, Duration lost) {
  return Queue(jobs, agents, config, lost).run();
}

}  // namespace dt::bench
