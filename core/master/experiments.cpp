#include "core/master/experiments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/overload.h"
#include "core/experiment/transitions.h"
#include "core/master/pool.h"
#include "core/master/trials.h"

namespace dt::core {
namespace {

void set_state(Step& step, ExperimentId id, ExperimentState to) {
  ExperimentRow& row = step.book.edit(id);
  VERIFY(can_become(row.state, to), "experiment ", id, ": ", to_text(row.state), " to ",
         to_text(to));
  row.state = to;
}

template <class Act>
void each_trial(Step& step, ExperimentId id, const Act& act) {
  const std::map<SearchTrial, TrialId> trials = step.book.at(id).trials;  // the search may add some
  for (const auto& [number, trial] : trials) {
    if (step.book.find(trial) != nullptr) act(step, trial);
  }
}

void create_unless_stopping(Step& step, ExperimentId id, const CreateTrial& create) {
  if (!is_stopping(step.book.at(id).row.state)) create_trial(step, id, create);
}

void stop_if_known(Step& step, ExperimentId id, SearchTrial number) {
  const Experiment& experiment = step.book.at(id);
  const auto trial = experiment.trials.find(number);
  const bool known = trial != experiment.trials.end() && step.book.find(trial->second) != nullptr;
  if (known && !is_stopping(experiment.row.state)) stop_trial(step, trial->second);
}

void shut_down(Step& step, ExperimentId id, const Shutdown& shutdown) {
  ExperimentRow& row = step.book.edit(id);
  row.searcher_done = true;
  if (is_stopping(row.state)) return;
  if (shutdown.failure) {
    set_state(step, id, ExperimentState::stopping_error);
    row.message = "every trial failed";
  } else {
    set_state(
        step, id,
        shutdown.cancel ? ExperimentState::stopping_canceled : ExperimentState::stopping_completed);
  }
}

void perform(Step& step, ExperimentId id, const SearchOperation& operation) {
  std::visit(Overload{
                 [&](const CreateTrial& create) { create_unless_stopping(step, id, create); },
                 [&](const StopTrial& stop) { stop_if_known(step, id, stop.trial); },
                 [&](const Shutdown& shutdown) { shut_down(step, id, shutdown); },
             },
             operation);
}

bool is_over(const Book& book, const Experiment& experiment) {
  if (!is_stopping(experiment.row.state)) return false;
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial == book.trials.end()) continue;
    if (!is_terminal(trial->second.row.state) || trial->second.live) return false;
  }
  return true;
}

// "every trial failed" alone helps nobody, and a search that completes may have lost some.
std::string with_errors(const Book& book, const Experiment& experiment) {
  const TrialRow* last = nullptr;
  int errors = 0;
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial == book.trials.end() || trial->second.row.state != TrialState::error) continue;
    ++errors;
    if (last == nullptr || trial->second.row.ended_ms >= last->ended_ms) last = &trial->second.row;
  }
  std::string message = experiment.row.message;
  if (last == nullptr) return message;
  if (message.empty()) message = cat(errors, " of ", experiment.trials.size(), " trials failed");
  return cat(message, "; trial ", last->id, ": ", last->message);
}

Status check_transition(const Book& book, const VerbOrdered& event, ExperimentState to) {
  const auto found = book.experiments.find(event.experiment);
  if (found == book.experiments.end()) {
    const bool existed =
        event.experiment.value > 0 && event.experiment.value <= book.cluster.last_experiment;
    if (!existed) return not_found("experiment ", event.experiment, " does not exist");
    return failed_precondition("experiment ", event.experiment, " has ended; cannot ",
                               to_text(event.verb), " it");
  }
  const ExperimentState from = found->second.row.state;
  if (from == to || can_become(from, to)) return {};
  return failed_precondition("experiment ", event.experiment, " is ", to_text(from), "; cannot ",
                             to_text(event.verb), " it");
}

ExperimentState state_after(Verb verb) {
  switch (verb) {
    case Verb::pause: return ExperimentState::paused;
    case Verb::activate: return ExperimentState::active;
    case Verb::cancel: return ExperimentState::stopping_canceled;
    case Verb::kill: return ExperimentState::stopping_killed;
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

void (*act_of(Verb verb))(Step&, TrialId) {
  switch (verb) {
    case Verb::pause: return pause_trial;
    case Verb::activate: return activate_trial;
    case Verb::cancel: return cancel_trial;
    case Verb::kill: return kill_trial;
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

}  // namespace

Result<Value> submit_experiment(Step& step, const ExperimentSubmitted& event) {
  const ExperimentConfig& config = event.config.config;
  TRY(check_resources(step.book, config.resources));
  const ExperimentId id{++step.book.cluster.last_experiment};
  step.book.add(
      Experiment{.row = {.id = id,
                         .owner = event.request.user,
                         .name = config.name,
                         .state = event.paused ? ExperimentState::paused : ExperimentState::active,
                         .config = event.config.resolved,
                         .config_text = event.config_text,
                         .context = event.context,
                         .priority = config.resources.priority,
                         .created_ms = to_ms(step.now)},
                 .config = config,
                 .search = SearchLog(id, config)});
  hear_search(step, id, start_event());
  Value::Array warnings(event.config.warnings.begin(), event.config.warnings.end());
  const std::string& pool = config.resources.resource_pool;
  if (!has_agents(step.book, pool)) warnings.emplace_back(cat("no agent has joined pool ", pool));
  return Value(Value::Object{{"id", id.value}, {"warnings", std::move(warnings)}});
}

Result<Value> obey_verb(Step& step, const VerbOrdered& event) {
  const ExperimentState to = state_after(event.verb);
  TRY(check_transition(step.book, event, to));
  if (step.book.at(event.experiment).row.state != to) {
    set_state(step, event.experiment, to);
    each_trial(step, event.experiment, act_of(event.verb));
    step.book.must_schedule = true;
  }
  finish_experiments(step);
  return Value(Value::Object{{"state", to_text(step.book.at(event.experiment).row.state)}});
}

void hear_search(Step& step, ExperimentId id, Value event) {
  Experiment& experiment = step.book.at(id);
  if (experiment.search.is_closed()) return;
  SearchOperations operations = experiment.search.append(std::move(event), step.effects.writes);
  ExperimentRow& row = step.book.edit(id);
  row.searcher_events = experiment.search.events();
  row.progress = experiment.search.progress();
  for (SearchOperation& operation : operations) experiment.todo.push_back(std::move(operation));
  if (std::exchange(experiment.doing, true)) return;  // the outer call goes on
  while (!experiment.todo.empty()) {
    const SearchOperation operation = std::move(experiment.todo.front());
    experiment.todo.pop_front();
    perform(step, id, operation);
  }
  experiment.doing = false;
}

void hear_progress(Step& step, TrialId id, double fraction) {
  if (!std::isfinite(fraction)) return;
  const TrialMemory& trial = step.book.at(id);
  if (is_terminal(trial.row.state)) return;
  Experiment& experiment = step.book.at(trial.row.experiment);
  step.book.edit(id).progress = std::clamp(fraction, 0.0, 1.0);
  experiment.search.set_trial_progress(trial.row.number, trial.row.progress);
  const double progress = experiment.search.progress();
  if (progress != experiment.row.progress) step.book.edit(experiment.row.id).progress = progress;
}

void fail_experiment(Step& step, ExperimentId id, const std::string& message) {
  if (can_become(step.book.at(id).row.state, ExperimentState::stopping_error)) {
    set_state(step, id, ExperimentState::stopping_error);
  }
  step.book.edit(id).message = message;
  each_trial(step, id, kill_trial);
}

void finish_experiments(Step& step) {
  const std::set<ExperimentId> changed = step.book.changed_experiments;
  for (const ExperimentId id : changed) {
    const Experiment* experiment = step.book.find(id);
    if (experiment == nullptr || !is_over(step.book, *experiment)) continue;
    ExperimentRow& row = step.book.edit(id);
    row.message = with_errors(step.book, *experiment);
    set_state(step, id, end_of(row.state));
    if (row.state == ExperimentState::completed) row.progress = 1;
    row.ended_ms = to_ms(step.now);
  }
}

}  // namespace dt::core
