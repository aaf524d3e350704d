#include "core/master/trials.h"

#include <utility>

#include "core/experiment/transitions.h"
#include "core/master/allocations.h"
#include "core/master/experiments.h"

namespace dt::core {
namespace {

void set_state(Step& step, TrialRow& trial, TrialState to) {
  VERIFY(can_become(trial.state, to), "trial ", trial.id, ": ", to_text(trial.state), " to ",
         to_text(to));
  trial.state = to;
  step.book.must_schedule(trial.experiment);
}

TrialState stopping_before(TrialState terminal) {
  switch (terminal) {
    case TrialState::completed: return TrialState::stopping_completed;
    case TrialState::error: return TrialState::stopping_error;
    default: return TrialState::stopping_canceled;
  }
}

// Lets the attempt end by `how`; without one the trial ends here and now.
void end_soon(Step& step, TrialId id, TrialState stopping, Order how, ExitReason reason) {
  const TrialMemory& trial = step.book.at(id);
  if (can_become(trial.row.state, stopping)) set_state(step, step.book.edit(id), stopping);
  if (!is_attempt_open(step.book, trial.live)) {
    return end_trial(step, id, end_of(stopping), reason, trial.row.message);
  }
  if (how == Order::preempt) return withdraw(step, trial.live);
  give_order(step, trial.live, how);
}

// What a copy of a trial starts from; nothing when it has none yet.
CheckpointId latest_of(Step& step, const Experiment& experiment, SearchTrial number) {
  const auto trial = experiment.trials.find(number);
  const TrialMemory* parent =
      trial == experiment.trials.end() ? nullptr : step.book.find(trial->second);
  if (parent == nullptr || !parent->row.latest_checkpoint) return {};
  step.book.inherited.insert(parent->row.latest_checkpoint);
  return parent->row.latest_checkpoint;
}

}  // namespace

void create_trial(Step& step, ExperimentId experiment, const CreateTrial& create) {
  Experiment& owner = step.book.at(experiment);
  const TrialId id{++step.book.cluster.last_trial};
  owner.trials.emplace(create.trial, id);
  const bool paused = owner.row.state == ExperimentState::paused;
  const CheckpointId start =
      create.parent ? latest_of(step, owner, *create.parent) : CheckpointId();
  step.book.add(TrialMemory{.row = {.id = id,
                                    .experiment = experiment,
                                    .number = create.trial,
                                    .request_id = create.request_id,
                                    .seed = owner.config.trial_seed.value_or(create.trial_seed),
                                    .hparams = create.hparams,
                                    .state = paused ? TrialState::paused : TrialState::active,
                                    .latest_checkpoint = start,
                                    .created_ms = to_ms(step.now)}});
  step.book.must_schedule(experiment);
}

void stop_trial(Step& step, TrialId id) {
  const TrialMemory& trial = step.book.at(id);
  if (is_terminal(trial.row.state) || trial.row.stopped_by_searcher) return;
  step.book.edit(id).stopped_by_searcher = true;
  if (!is_stopping(trial.row.state)) {
    end_soon(step, id, TrialState::stopping_completed, Order::stop, ExitReason::completed);
  }
}

void pause_trial(Step& step, TrialId id) {
  const TrialMemory& trial = step.book.at(id);
  if (trial.row.state != TrialState::active) return;
  set_state(step, step.book.edit(id), TrialState::paused);
  if (is_attempt_open(step.book, trial.live)) withdraw(step, trial.live);
}

void activate_trial(Step& step, TrialId id) {
  const TrialRow& row = step.book.at(id).row;
  if (row.state != TrialState::paused) return;
  if (step.book.at(row.experiment).search.is_paused(row.number)) return;
  set_state(step, step.book.edit(id), TrialState::active);
}

void cancel_trial(Step& step, TrialId id) {
  const TrialRow& row = step.book.at(id).row;
  if (is_terminal(row.state) || is_stopping(row.state)) return;
  end_soon(step, id, TrialState::stopping_canceled, Order::preempt, ExitReason::user_cancelled);
}

// One that the search stopped, or that cannot succeed, only ends sooner.
void kill_trial(Step& step, TrialId id) {
  const TrialMemory& trial = step.book.at(id);
  if (is_terminal(trial.row.state)) return;
  const bool decided = trial.row.state == TrialState::stopping_completed ||
                       trial.row.state == TrialState::stopping_error;
  if (!decided) {
    return end_soon(step, id, TrialState::stopping_killed, Order::kill, ExitReason::user_cancelled);
  }
  if (is_attempt_open(step.book, trial.live)) give_order(step, trial.live, Order::kill);
}

void fail_trial(Step& step, TrialId id, const std::string& message) {
  const TrialMemory& trial = step.book.at(id);
  if (is_terminal(trial.row.state) || is_stopping(trial.row.state)) return;
  step.book.edit(id).message = message;
  end_soon(step, id, TrialState::stopping_error, Order::kill, ExitReason::errored);
}

void end_trial(Step& step, TrialId id, TrialState state, ExitReason reason,
               const std::string& message) {
  TrialRow& row = step.book.edit(id);
  if (!can_become(row.state, state)) set_state(step, row, stopping_before(state));
  set_state(step, row, state);
  row.ended_ms = to_ms(step.now);
  row.message = message;
  if (state == TrialState::completed) row.progress = 1;
  step.book.at(id).waiting.clear();
  if (is_judged(step.book, row)) tell_exit(step, id, reason);
}

void tell_exit(Step& step, TrialId id, ExitReason reason) {
  TrialRow& row = step.book.edit(id);
  row.exit_told = true;
  hear_search(step, row.experiment, exit_event(row.number, reason));
}

void reopen_trial(Step& step, TrialId id) {
  TrialRow& row = step.book.edit(id);
  if (row.state != TrialState::active) set_state(step, row, TrialState::active);
  row.restarts = 0;
  row.stopped_by_searcher = false;
  row.progress = 0;
  row.ended_ms = 0;
  row.message.clear();
  row.excluded_agents.clear();
  row.log_policy.clear();
  row.retries_canceled = false;
  step.book.must_schedule(row.experiment);
}

bool wants_slots(const TrialMemory& trial, Time now) {
  return trial.row.state == TrialState::active && !trial.live && now >= trial.not_before;
}

}  // namespace dt::core
