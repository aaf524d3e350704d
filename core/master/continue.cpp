#include "core/master/continue.h"

#include <algorithm>
#include <utility>

#include "core/experiment/search_view.h"
#include "core/master/experiments.h"
#include "core/master/pool.h"
#include "core/master/trials.h"
#include "core/master/verbs.h"

namespace dt::core {
namespace {

bool is_single(const ExperimentConfig& config) {
  return std::holds_alternative<SingleSearch>(config.searcher.method);
}

Status check_state(const Experiment& experiment) {
  const ExperimentRow& row = experiment.row;
  if (is_deleting(row.state)) {
    return failed_precondition("experiment ", row.id, " is ", to_text(row.state));
  }
  if (!is_terminal(row.state)) {
    return failed_precondition("experiment ", row.id, " is ", to_text(row.state),
                               "; only one that has ended can be continued")
        .with_hint(row.state == ExperimentState::paused ? "activate it"
                                                        : "wait until it has ended");
  }
  if (!experiment.search.is_closed()) return {};
  return failed_precondition("experiment ", row.id,
                             " cannot be continued: the state of its search is lost")
      .with_hint("fork it");
}

// A search was made for its space and its rule; only a single trial may change them.
Status check_same_search(const Experiment& experiment, const ParsedConfig& changed) {
  const bool both_single = is_single(experiment.config) && is_single(changed.config);
  if (both_single) return {};
  for (const char* key : {"searcher", "hyperparameters", "reproducibility"}) {
    if (changed.resolved[key] == experiment.row.config[key]) continue;
    return failed_precondition(key, ": cannot be changed when a search of several trials goes on")
        .with_detail({.subject = key, .value = {}, .hint = "fork the experiment", .path = key});
  }
  return {};
}

Result<ParsedConfig> changed_config(const ExperimentRow& row, const Overrides& overrides) {
  Value config = row.config;
  for (const auto& [path, value] : overrides) TRY(set_config_key(config, path, value));
  return parse_config(config, {});
}

Result<std::vector<TrialId>> named_trials(const Book& book, const Experiment& experiment,
                                          const std::vector<TrialId>& named) {
  for (const TrialId id : named) {
    const auto trial = book.trials.find(id);
    if (trial != book.trials.end() && trial->second.row.experiment == experiment.row.id) continue;
    return not_found("trial ", id, " is none of experiment ", experiment.row.id);
  }
  return named;
}

Result<std::vector<TrialId>> chosen_trials(const Book& book, const Experiment& experiment,
                                           const std::vector<TrialId>& named) {
  if (!named.empty()) return named_trials(book, experiment, named);
  std::vector<TrialId> chosen;
  for (const auto& [number, id] : experiment.trials) {
    const bool completed = book.trials.at(id).row.state == TrialState::completed;
    if (!completed || is_single(experiment.config)) chosen.push_back(id);
  }
  if (chosen.empty()) {
    return failed_precondition("every trial of experiment ", experiment.row.id, " is complete")
        .with_hint("name the trials that shall go on, or fork it");
  }
  return chosen;
}

// Of a single trial: drawn again from the same stream, so that only what was changed differs.
Value drawn_hparams(ExperimentId id, const ExperimentConfig& config) {
  Writes unused;
  SearchLog fresh(id, config);
  for (const SearchOperation& operation : fresh.append(start_event(), unused)) {
    if (const auto* create = std::get_if<CreateTrial>(&operation)) return create->hparams;
  }
  VERIFY(false, "a single search makes its trial at the start");
}

void adopt(Step& step, ExperimentId id, ParsedConfig changed) {
  Experiment& experiment = step.book.at(id);
  if (is_single(changed.config)) {
    const Value hparams = drawn_hparams(id, changed.config);
    for (const auto& [number, trial] : experiment.trials) step.book.edit(trial).hparams = hparams;
  }
  ExperimentRow& row = step.book.edit(id);
  row.name = changed.config.name;
  row.priority = changed.config.resources.priority;
  row.config = std::move(changed.resolved);
  experiment.config = std::move(changed.config);
}

// The search goes on with all trials that it has not heard the end of, or not at all: when only
// some trials are named, those are trained and nothing more is decided.
void resume_search(Step& step, ExperimentId id, bool only_named) {
  std::vector<TrialId> untold;
  for (const auto& [number, trial] : step.book.at(id).trials) {
    if (!step.book.at(trial).row.exit_told) untold.push_back(trial);
  }
  step.book.edit(id).searcher_done = only_named || untold.empty();
  if (only_named) return;
  for (const TrialId trial : untold) {
    if (is_terminal(step.book.at(trial).row.state)) tell_exit(step, trial, ExitReason::completed);
  }
}

}  // namespace

Result<Value> continue_experiment(Step& step, const ExperimentContinued& event) {
  const ExperimentId id = event.experiment;
  TRY(present(step.book, id));
  const Experiment& experiment = step.book.at(id);
  TRY(check_state(experiment));
  const std::vector<TrialId> trials = TRY(chosen_trials(step.book, experiment, event.trials));
  ParsedConfig changed = TRY(changed_config(experiment.row, event.overrides));
  TRY(check_same_search(experiment, changed));
  TRY(check_resources(step.book, changed.config.resources));
  Value::Array warnings(changed.warnings.begin(), changed.warnings.end());
  if (!event.overrides.empty()) adopt(step, id, std::move(changed));
  ExperimentRow& row = step.book.edit(id);
  row.state = ExperimentState::active;  // no table has it: this is a second life
  row.archived = false;
  row.message.clear();
  row.ended_ms = 0;
  row.tidied = false;
  row.queued_ms = to_ms(step.now);
  for (const TrialId trial : trials) {
    reopen_trial(step, trial);
    const TrialRow& reopened = step.book.at(trial).row;
    const bool by_search = event.trials.empty() && !reopened.exit_told;
    if (by_search && experiment.search.is_paused(reopened.number)) pause_trial(step, trial);
  }
  resume_search(step, id, !event.trials.empty());
  row.progress = progress_of(step.book, experiment);
  Value::Array ids;
  for (const TrialId trial : trials) ids.push_back(trial.value);
  return Value(Value::Object{{"trials", std::move(ids)}, {"warnings", std::move(warnings)}});
}

}  // namespace dt::core
