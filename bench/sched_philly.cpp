// Replays Microsoft's Philly trace (Jeon et al., ATC 2019): what a policy of the queue means for
// the time from submission to completion. Jobs are gangs that run on all their slots or not at all.
#include "bench/sched_philly.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/cat.h"
#include "bench/sched.h"

namespace dt::bench {
namespace {

constexpr double shortest_s = 60;  // what ends sooner had failed

// "2017-10-09 07:01:55"
Result<Time> time_of(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const int read =
      std::sscanf(text.c_str(), "%d-%d-%d %d:%d:%d", &year, &month, &day, &hour, &minute, &second);
  if (read != 6) return invalid_argument("not a time: ", text);
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  const std::int64_t days = date.time_since_epoch().count();
  return from_ms((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000);
}

// The slice's jobs by time of submission.
Result<std::vector<QueuedJob>> jobs_of(const std::vector<std::vector<std::string>>& rows,
                                       const PhillySlice& slice) {
  std::vector<QueuedJob> jobs;
  for (const auto& row : rows) {
    if (row.size() < 5 || row[4] != slice.cluster) continue;
    const double runs_s = std::strtod(row[1].c_str(), nullptr);
    const int slots = std::atoi(row[2].c_str());
    if (runs_s < shortest_s || slots < 1 || slots > slice.slots) continue;
    const Time submitted = TRY(time_of(row[0]));
    jobs.push_back({submitted, Duration(static_cast<std::int64_t>(runs_s * 1000)), slots});
  }
  if (jobs.empty()) return not_found("the trace has no jobs of cluster ", slice.cluster);
  std::stable_sort(jobs.begin(), jobs.end(), [](const QueuedJob& a, const QueuedJob& b) {
    return a.submitted < b.submitted;
  });
  return jobs;
}

std::vector<core::AgentCapacity> agents_of(int slots, int node_slots) {
  std::vector<core::AgentCapacity> agents;
  const int each = node_slots > 0 ? node_slots : slots;
  for (int left = slots; left > 0; left -= each) {
    agents.push_back({.id = {cat("node", agents.size())}, .slots = std::min(each, left)});
  }
  return agents;
}

struct Contender {
  std::string name;
  core::PoolConfig config;
};

core::PoolConfig policy(core::SchedulerKind kind) {
  return {.scheduler = kind, .preemption = true, .heterogeneous = true};
}

core::PoolConfig attained(std::vector<double> levels, double promote_hours, double min_run_s) {
  core::PoolConfig config = policy(core::SchedulerKind::attained);
  config.attained.level_pool_hours = std::move(levels);
  config.attained.promote_after = Duration(static_cast<std::int64_t>(promote_hours * 3'600'000));
  config.attained.min_run = Duration(static_cast<std::int64_t>(min_run_s * 1000));
  return config;
}

std::vector<Contender> policies() {
  core::PoolConfig least = policy(core::SchedulerKind::attained);
  return {{"fifo", policy(core::SchedulerKind::fifo)},
          {"priority", policy(core::SchedulerKind::priority)},
          {"fair_share", policy(core::SchedulerKind::fair_share)},
          {"backfill", policy(core::SchedulerKind::backfill)},
          {"attained", least}};
}

std::vector<Contender> settings() {
  std::vector<Contender> all = {policies()[0], policies()[3]};
  const std::vector<std::vector<double>> levels = {{1. / 32}, {1. / 16},         {1. / 8},
                                                   {1. / 4},  {1. / 32, 1. / 4}, {1. / 8, 1}};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::string name;
    for (const double level : levels[i]) name += cat(name.empty() ? "" : ",", level);
    for (const double hours : {0.0, 72.0, 168.0}) {
      for (const double min_run : {0.0, 300.0}) {
        all.push_back({cat("attained levels=", name, " promote_h=", hours, " min_run_s=", min_run),
                       attained(levels[i], hours, min_run)});
      }
    }
  }
  return all;
}

void print(const PhillySlice& slice, std::size_t jobs, const Contender& contender, int lost_s,
           const QueueResult& result) {
  std::cout << R"({"trace":"philly","slice":")" << slice.cluster << R"(","slots":)" << slice.slots
            << R"(,"jobs":)" << jobs << R"(,"lost_s":)" << lost_s << R"(,"policy":")"
            << contender.name << R"(","mean_h":)" << result.mean_hours << R"(,"p99_h":)"
            << result.p99_hours << R"(,"preemptions":)" << result.preemptions
            << R"(,"partial_gangs":)" << result.partial_gangs << R"(,"passes":)" << result.passes
            << R"(,"pass_us":)" << result.pass_us << "}" << std::endl;
}

}  // namespace

Status replay_philly(const PhillyOptions& options) {
  const auto rows = TRY(read_csv(options.jobs));
  std::vector<PhillySlice> slices = options.slices;
  if (slices.empty()) slices = {{"ee9e8c", 128}, {"2869ce", 48}, {"103959", 24}};
  for (const PhillySlice& slice : slices) {
    const auto jobs = TRY(jobs_of(rows, slice));
    const auto agents = agents_of(slice.slots, options.node_slots);
    for (const int lost_s : {30, 250}) {
      for (const Contender& contender : options.settings ? settings() : policies()) {
        const Duration lost(lost_s * 1000);
        print(slice, jobs.size(), contender, lost_s,
              run_queue(jobs, agents, contender.config, lost));
      }
    }
  }
  return {};
}

}  // namespace dt::bench
