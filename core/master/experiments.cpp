#include "core/master/experiments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/overload.h"
#include "core/experiment/summary.h"
#include "core/experiment/transitions.h"
#include "core/master/pool.h"
#include "core/master/requests.h"
#include "core/master/trials.h"
#include "core/master/verbs.h"

namespace dt::core {
namespace {

void create_unless_stopping(Step& step, ExperimentId id, const CreateTrial& create) {
  if (!is_stopping(step.book.at(id).row.state)) create_trial(step, id, create);
}

// None when the search's word has no effect any more.
TrialId known_trial(Step& step, ExperimentId id, SearchTrial number) {
  const Experiment& experiment = step.book.at(id);
  const auto trial = experiment.trials.find(number);
  const bool known = trial != experiment.trials.end() && step.book.find(trial->second) != nullptr;
  return known && !is_stopping(experiment.row.state) ? trial->second : TrialId();
}

// An experiment that a person paused stays paused; the trial goes on when that is lifted.
void resume_if_known(Step& step, ExperimentId id, SearchTrial number) {
  const ExperimentState state = step.book.at(id).row.state;
  const TrialId trial = known_trial(step, id, number);
  if (trial && state == ExperimentState::active) activate_trial(step, trial);
}

void shut_down(Step& step, ExperimentId id, const Shutdown& shutdown) {
  ExperimentRow& row = step.book.edit(id);
  row.searcher_done = true;
  if (is_stopping(row.state)) return;
  if (shutdown.failure) {
    set_experiment_state(step, id, ExperimentState::stopping_error);
  } else {
    set_experiment_state(
        step, id,
        shutdown.cancel ? ExperimentState::stopping_canceled : ExperimentState::stopping_completed);
  }
}

void perform(Step& step, ExperimentId id, const SearchOperation& operation) {
  std::visit(Overload{
                 [&](const CreateTrial& create) { create_unless_stopping(step, id, create); },
                 [&](const StopTrial& stop) {
                   if (const TrialId trial = known_trial(step, id, stop.trial))
                     stop_trial(step, trial);
                 },
                 [&](const PauseTrial& pause) {
                   if (const TrialId trial = known_trial(step, id, pause.trial))
                     pause_trial(step, trial);
                 },
                 [&](const ResumeTrial& resume) { resume_if_known(step, id, resume.trial); },
                 [&](const Shutdown& shutdown) { shut_down(step, id, shutdown); },
             },
             operation);
}

std::string closing_words(const Book& book, const Experiment& experiment) {
  std::vector<const TrialRow*> trials;
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial != book.trials.end()) trials.push_back(&trial->second.row);
  }
  return summary_of(experiment.row, experiment.config.searcher, trials);
}

// A continued experiment whose search is over ends as its trials did.
ExperimentState end_without_search(const Book& book, const Experiment& experiment) {
  bool all_failed = true, all_canceled = true;
  for (const auto& [number, id] : experiment.trials) {
    const TrialState state = book.trials.at(id).row.state;
    all_failed = all_failed && state == TrialState::error;
    all_canceled = all_canceled && state == TrialState::canceled;
  }
  if (all_failed) return ExperimentState::stopping_error;
  return all_canceled ? ExperimentState::stopping_canceled : ExperimentState::stopping_completed;
}

bool has_open_trial(const Book& book, const Experiment& experiment) {
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    if (trial == book.trials.end()) continue;
    if (!is_terminal(trial->second.row.state) || trial->second.live) return true;
  }
  return false;
}

void finish_experiment(Step& step, ExperimentId id) {
  const Experiment* experiment = step.book.find(id);
  if (experiment == nullptr || is_terminal(experiment->row.state)) return;
  const bool stopping = is_stopping(experiment->row.state);
  if (!stopping && !experiment->row.searcher_done) return;
  if (has_open_trial(step.book, *experiment)) return;
  if (!stopping) set_experiment_state(step, id, end_without_search(step.book, *experiment));
  ExperimentRow& row = step.book.edit(id);
  row.message = closing_words(step.book, *experiment);
  set_experiment_state(step, id, end_of(row.state));
  if (row.state == ExperimentState::completed) row.progress = 1;
  row.ended_ms = to_ms(step.now);
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
                         .created_ms = to_ms(step.now),
                         .forked_from = event.forked_from,
                         .queued_ms = to_ms(step.now)},
                 .config = config,
                 .search = SearchLog(id, config)});
  if (!event.provenance.is_null()) {
    step.effects.writes.provenances.push_back({.experiment = id, .provenance = event.provenance});
  }
  hear_search(step, id, start_event());
  Value::Array warnings(event.config.warnings.begin(), event.config.warnings.end());
  const std::string& pool = config.resources.resource_pool;
  if (!has_agents(step.book, pool)) warnings.emplace_back(cat("no agent has joined pool ", pool));
  return Value(Value::Object{{"id", id.value}, {"warnings", std::move(warnings)}});
}

Value submit_experiments(Step& step, const ExperimentsSubmitted& event) {
  Value::Array results;
  for (const ExperimentSubmitted& one : event.experiments) {
    Result<Value> result = submit_experiment(step, one);
    results.push_back(result.ok() ? std::move(result).value()
                                  : Value(Value::Object{{"error", error_value(result.status())}}));
  }
  return Value(std::move(results));
}

void set_experiment_state(Step& step, ExperimentId id, ExperimentState to) {
  ExperimentRow& row = step.book.edit(id);
  VERIFY(can_become(row.state, to), "experiment ", id, ": ", to_text(row.state), " to ",
         to_text(to));
  row.state = to;
}

std::vector<TrialId> trials_of(const Book& book, ExperimentId id) {
  std::vector<TrialId> trials;
  for (const auto& [number, trial] : book.experiments.at(id).trials) {
    if (book.trials.contains(trial)) trials.push_back(trial);
  }
  return trials;
}

bool is_judged(const Book& book, const TrialRow& trial) {
  const ExperimentRow& row = book.experiments.at(trial.experiment).row;
  return !trial.exit_told && !row.searcher_done && !is_stopping(row.state);
}

double progress_of(const Book& book, const Experiment& experiment) {
  if (!experiment.row.searcher_done || experiment.trials.empty()) {
    return experiment.search.progress();
  }
  double sum = 0;
  for (const auto& [number, id] : experiment.trials) {
    const auto trial = book.trials.find(id);
    const bool open = trial != book.trials.end() && !is_terminal(trial->second.row.state);
    sum += open ? trial->second.row.progress : 1;
  }
  return sum / static_cast<double>(experiment.trials.size());
}

namespace {

// Does what the search says, in the order of its saying.
void follow_search(Step& step, ExperimentId id, SearchOperations operations) {
  Experiment& experiment = step.book.at(id);
  ExperimentRow& row = step.book.edit(id);
  row.searcher_events = experiment.search.events();
  row.progress = experiment.search.progress();
  if (row.message.empty()) {
    row.message = limit_text(experiment.search.limit_reached(), experiment.config.searcher);
  }
  for (SearchOperation& operation : operations) experiment.todo.push_back(std::move(operation));
  if (std::exchange(experiment.doing, true)) return;  // the outer call goes on
  while (!experiment.todo.empty()) {
    const SearchOperation operation = std::move(experiment.todo.front());
    experiment.todo.pop_front();
    perform(step, id, operation);
  }
  experiment.doing = false;
}

}  // namespace

void hear_search(Step& step, ExperimentId id, Value event) {
  Experiment& experiment = step.book.at(id);
  if (experiment.search.is_closed()) return;
  follow_search(step, id, experiment.search.append(std::move(event), step.effects.writes));
}

Result<Value> propose_to_search(Step& step, const SearchProposed& event) {
  const ExperimentId id = event.experiment;
  TRY(present(step.book, id));
  Experiment& experiment = step.book.at(id);
  const ExperimentState state = experiment.row.state;
  const bool is_over = is_stopping(state) || is_terminal(state) || experiment.row.searcher_done;
  if (is_over || experiment.search.is_closed()) {
    return failed_precondition("experiment ", id, " is ", to_text(state),
                               "; its search takes no proposals");
  }
  const SearchTrial next = experiment.search.trials_requested();
  follow_search(step, id, TRY(experiment.search.propose(event.proposal, step.effects.writes)));
  const auto made = step.book.at(id).trials.find(next);
  finish_experiments(step);
  Value answer = Value::Object{};
  if (std::holds_alternative<ProposeTrial>(event.proposal)) {
    answer.set("trial", next).set("trial_id", made->second.value);
  }
  return answer;
}

void hear_progress(Step& step, TrialId id, double fraction) {
  if (!std::isfinite(fraction)) return;
  const TrialMemory& trial = step.book.at(id);
  if (is_terminal(trial.row.state)) return;
  Experiment& experiment = step.book.at(trial.row.experiment);
  step.book.edit(id).progress = std::clamp(fraction, 0.0, 1.0);
  if (is_judged(step.book, trial.row)) {
    experiment.search.set_trial_progress(trial.row.number, trial.row.progress);
  }
  const double progress = progress_of(step.book, experiment);
  if (progress != experiment.row.progress) step.book.edit(experiment.row.id).progress = progress;
}

void fail_experiment(Step& step, ExperimentId id, const std::string& message) {
  if (can_become(step.book.at(id).row.state, ExperimentState::stopping_error)) {
    set_experiment_state(step, id, ExperimentState::stopping_error);
  }
  step.book.edit(id).message = message;
  for (const TrialId trial : trials_of(step.book, id)) kill_trial(step, trial);
}

void finish_experiments(Step& step) {
  const std::set<ExperimentId> changed = step.book.changed_experiments;
  for (const ExperimentId id : changed) finish_experiment(step, id);
}

}  // namespace dt::core
