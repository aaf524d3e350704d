#include "core/master/queue.h"

#include <algorithm>
#include <map>

#include "core/experiment/transitions.h"
#include "core/master/allocations.h"
#include "core/master/book.h"
#include "core/master/pool.h"
#include "core/sched/priority.h"

namespace dt::core {
namespace {

JobState state_of(const Job& job, ExperimentState state) {
  if (job.slots_held > 0 || is_stopping(state)) return JobState::running;
  return state == ExperimentState::paused ? JobState::paused : JobState::queued;
}

void add_trial(Job& job, const Book& book, const TrialMemory& trial, int slots,
               const std::string& absent) {
  if (is_terminal(trial.row.state)) return;
  std::string reason = why_waiting(book, trial, absent);
  const bool runs = trial.live && is_attempt_open(book, trial.live);
  job.trials_running += runs ? 1 : 0;
  if (runs || is_stopping(trial.row.state)) return;
  if (trial.row.state == TrialState::active) {
    ++job.trials_waiting;
    job.slots_wanted += slots;
    if (job.reason.empty()) job.reason = reason;
  }
  job.trials.push_back({.trial = trial.row.id,
                        .state = trial.row.state,
                        .slots = slots,
                        .reason = std::move(reason)});
}

Job job_of(const Book& book, const Experiment& experiment, const std::string& absent) {
  const ResourcesConfig& resources = experiment.config.resources;
  Job job{.experiment = experiment.row.id,
          .name = experiment.row.name,
          .owner = experiment.row.owner,
          .pool = resources.resource_pool,
          .priority = experiment.row.priority,
          .slots_held = slots_held(book, experiment),
          .submitted_ms = experiment.row.created_ms,
          .weight = resources.weight,
          .max_slots = resources.max_slots};
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial == book.trials.end()) continue;
    add_trial(job, book, trial->second, resources.slots_per_trial, absent);
  }
  job.state = state_of(job, experiment.row.state);
  return job;
}

}  // namespace

const char* to_text(JobState state) {
  switch (state) {
    case JobState::running: return "running";
    case JobState::queued: return "queued";
    case JobState::paused: return "paused";
  }
  VERIFY(false, "job state ", static_cast<int>(state));
}

std::vector<Job> queue_of(const Book& book) {
  std::map<std::string, std::vector<const Experiment*>> pools;
  for (const auto& [id, experiment] : book.experiments) {
    pools[experiment.config.resources.resource_pool].push_back(&experiment);
  }
  std::vector<Job> queue;
  for (auto& [pool, experiments] : pools) {
    const std::string absent = absent_agents(book, pool);
    const auto config = book.options.pools.find(pool);
    const bool by_priority = config == book.options.pools.end() ||
                             config->second.scheduler == SchedulerKind::priority;
    const auto ranked = [&](const Experiment& experiment) {
      SlotRequest request = request_of(experiment);
      if (!by_priority) request.priority = 0;
      return request;
    };
    std::stable_sort(experiments.begin(), experiments.end(), [&](const auto* a, const auto* b) {
      return is_served_before(ranked(*a), ranked(*b));
    });
    int position = 0;
    for (const Experiment* experiment : experiments) {
      Job job = job_of(book, *experiment, absent);
      if (job.trials_waiting > 0) job.position = ++position;
      queue.push_back(std::move(job));
    }
  }
  return queue;
}

}  // namespace dt::core
