#include "core/master/timers.h"

#include <algorithm>

#include "core/master/agents.h"
#include "core/master/allocations.h"
#include "core/master/checkpoints.h"
#include "core/master/experiments.h"
#include "core/master/requests.h"
#include "core/master/trials.h"

namespace dt::core {
namespace {

bool is_launching(const AllocationRow& row) {
  const bool before_running =
      row.state == AllocationState::preparing || row.state == AllocationState::starting;
  return before_running && row.order < Order::kill;
}

Time deadline_of(const Book& book, const AllocationMemory& memory) {
  const AllocationRow& row = memory.row;
  if (is_launching(row)) return memory.since + book.options.prepare_timeout;
  if (row.state == AllocationState::settling) {
    return memory.upload_moved + book.options.upload_timeout;
  }
  const bool preempting = row.order == Order::preempt && row.state == AllocationState::running;
  return preempting ? from_ms(row.preempt_deadline_ms) : never;
}

// When the search of the experiment has had its time. While a person holds it, nothing happens.
Time end_of_search(const Experiment& experiment) {
  const bool is_going = experiment.row.state == ExperimentState::active &&
                        !experiment.row.searcher_done && !experiment.search.is_closed() &&
                        experiment.search.limit_reached() == SearchLimit::none;
  if (!is_going) return never;
  const std::chrono::seconds limit(*experiment.config.searcher.max_wall_time_s);
  return from_ms(experiment.row.queued_ms) + limit;
}

void end_searches_in_time(Step& step) {
  for (const ExperimentId id : std::set(step.book.time_limited)) {
    if (step.now >= end_of_search(step.book.at(id))) hear_search(step, id, wall_time_event());
  }
}

void fire(Step& step, AllocationId id) {
  const AllocationMemory& memory = *step.book.find(id);
  if (step.now < deadline_of(step.book, memory)) return;
  if (memory.row.state == AllocationState::settling) return abandon_pending_checkpoints(step, id);
  if (is_launching(memory.row)) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(step.book.options.prepare_timeout);
    fail_unready_nodes(step, id, cat("not running within ", seconds.count(), " s"));
  }
  give_order(step, id, Order::kill);
}

}  // namespace

Time next_deadline(const Book& book) {
  Time next = next_request_end(book);
  for (const auto& [pool, time] : book.look_again) next = std::min(next, time);
  for (const auto& [id, agent] : book.agents) next = std::min(next, give_up_time(book, agent));
  for (const auto& [id, memory] : book.allocations) {
    next = std::min(next, deadline_of(book, memory));
  }
  for (const ExperimentId id : book.time_limited) {
    next = std::min(next, end_of_search(book.experiments.at(id)));
  }
  for (const auto& [id, trial] : book.trials) {
    const bool failed = trial.launch_failures + trial.withdrawals > 0;
    const bool backs_off =
        trial.row.state == TrialState::active && !trial.live && failed && trial.waiting.empty();
    if (backs_off) next = std::min(next, trial.not_before);
  }
  return next;
}

void fire_deadlines(Step& step) {
  forget_old_requests(step);
  give_up_silent_agents(step);
  end_searches_in_time(step);
  for (const auto& [pool, time] : step.book.look_again) {
    if (step.now >= time) step.book.must_schedule(pool);
  }
  for (const auto& [id, memory] : step.book.allocations) fire(step, id);
  for (const auto& [id, trial] : step.book.trials) {
    const bool failed = trial.launch_failures + trial.withdrawals > 0;
    if (failed && wants_slots(trial, step.now)) step.book.must_schedule(trial.row.experiment);
  }
}

}  // namespace dt::core
