#include <algorithm>
#include <cmath>

#include "base/overload.h"
#include "core/search/method.h"
#include "core/search/point.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr int snapshot_version = 3;  // of every method so far
constexpr int hopeless_trials = 100;
constexpr double done_units = 0x1p40;  // of one trial

bool starts_something(const SearchOperation& operation) {
  return std::holds_alternative<CreateTrial>(operation) ||
         std::holds_alternative<ResumeTrial>(operation);
}

}  // namespace

const char* name_of(const SearcherConfig& config) {
  return std::visit(Overload{
                        [](const SingleSearch&) { return "single"; },
                        [](const RandomSearch&) { return "random"; },
                        [](const GridSearch&) { return "grid"; },
                        [](const AsyncHalvingSearch&) { return "async_halving"; },
                        [](const AdaptiveAshaSearch&) { return "adaptive_asha"; },
                        [](const HyperbandSearch&) { return "hyperband"; },
                        [](const PbtSearch&) { return "pbt"; },
                        [](const TpeSearch&) { return "tpe"; },
                        [](const CustomSearch&) { return "custom"; },
                    },
                    config.method);
}

Result<SearchOperations> SearchMethod::proposed(const Proposal&) {
  return failed_precondition("this search proposes its trials itself; only a custom one is told");
}

Searcher::Searcher(const SearcherConfig& config, const HyperparameterSpace& space,
                   std::uint32_t seed)
    : config_(config), space_(space), method_(make_search_method(config, space, seed)) {}

Searcher::Trial& Searcher::trial_at(SearchTrial trial) {
  VERIFY(trial >= 0 && trial < requested_, "trial ", trial, " of ", requested_);
  return trials_[static_cast<std::size_t>(trial)];
}

// Keeps the books on what the method asked for.
SearchOperations Searcher::note(SearchOperations operations) {
  if (limit_ != SearchLimit::none) std::erase_if(operations, starts_something);
  for (const SearchOperation& operation : operations) {
    std::visit(Overload{
                   [&](const CreateTrial& create) {
                     VERIFY(create.trial == requested_, "trial ", create.trial, " after ",
                            requested_ - 1);
                     ++requested_;
                     trials_.emplace_back();
                   },
                   [&](const StopTrial& stop) { trial_at(stop.trial).stopped = true; },
                   [&](const PauseTrial& pause) { trial_at(pause.trial).paused = true; },
                   [&](const ResumeTrial& resume) { trial_at(resume.trial).paused = false; },
                   [](const Shutdown&) { VERIFY(false, "only the searcher itself shuts down"); },
               },
               operation);
  }
  return operations;
}

SearchOperations Searcher::start() {
  VERIFY(requested_ == 0, "a search starts once");
  return note(method_->initial_trials());
}

SearchOperations Searcher::validation_completed(const ValidationReport& report) {
  const Trial& trial = trial_at(report.trial);
  if (trial.stopped || trial.closed) return {};  // stored by others, never judged
  SearchOperations operations = method_->validation_completed(report);
  if (!reaches_target(report)) return note(std::move(operations));
  limit_ = SearchLimit::target_metric;
  operations = note(std::move(operations));
  finish(operations);
  return operations;
}

bool Searcher::reaches_target(const ValidationReport& report) const {
  if (!config_.target_metric) return false;  // and NaN reaches nothing
  return config_.smaller_is_better ? report.metric <= *config_.target_metric
                                   : report.metric >= *config_.target_metric;
}

// Every trial that is not over is stopped; the paused ones too.
void Searcher::finish(SearchOperations& operations) {
  for (SearchTrial trial = 0; trial < requested_; ++trial) {
    if (row(trial).stopped || row(trial).closed) continue;
    for (const SearchOperation& stop : note({StopTrial{trial}})) operations.push_back(stop);
  }
}

SearchOperations Searcher::wall_time_is_over() {
  if (limit_ != SearchLimit::none) return {};
  limit_ = SearchLimit::wall_time;
  SearchOperations operations;
  finish(operations);
  shut_down_if_over(operations);
  return operations;
}

SearchOperations Searcher::trial_exited(SearchTrial trial, ExitReason reason) {
  if (trial_at(trial).closed) return {};
  failures_ += reason == ExitReason::errored ? 1 : 0;
  invalid_ += reason == ExitReason::invalid_hp ? 1 : 0;
  cancels_ += reason == ExitReason::user_cancelled ? 1 : 0;
  if (is_hopeless()) limit_ = SearchLimit::hopeless;
  SearchOperations operations;
  // A trial that completes because it was stopped tells the method nothing new.
  if (reason != ExitReason::completed || !trial_at(trial).stopped) {
    operations = note(method_->trial_exited_early(trial, reason));
    std::erase(operations, SearchOperation(StopTrial{trial}));  // it is over
  }
  for (SearchOperation& operation : note(method_->trial_exited(trial))) {
    operations.push_back(std::move(operation));
  }
  trial_at(trial).closed = true;
  ++closed_;
  set_done(trial_at(trial), 1);
  shut_down_if_over(operations);
  return operations;
}

// Every trial so far, and there were many, had invalid hyperparameters: replacing them would go on
// for ever.
bool Searcher::is_hopeless() const {
  return invalid_ >= hopeless_trials && invalid_ > closed_ && !method_->waits_for_proposals();
}

void Searcher::shut_down_if_over(SearchOperations& operations) {
  const bool still_waits = method_->waits_for_proposals() && limit_ == SearchLimit::none;
  if (closed_ != requested_ || still_waits) return;
  operations.push_back(Shutdown{.cancel = requested_ > 0 && cancels_ >= requested_,
                                .failure = requested_ > 0 && failures_ >= requested_});
}

Status Searcher::check(const Proposal& proposal) const {
  const auto check_trial = [&](SearchTrial trial) -> Status {
    if (!knows(trial)) return not_found("the search has no trial ", trial);
    if (!row(trial).closed && !row(trial).stopped) return {};
    return failed_precondition("trial ", trial, " is over");
  };
  return std::visit(Overload{
                        [&](const ProposeTrial& propose) -> Status {
                          if (propose.parent && !knows(*propose.parent)) {
                            return not_found("the search has no trial ", *propose.parent,
                                             " to start from");
                          }
                          return check_point(space_, propose.hparams);
                        },
                        [](const FinishSearch&) -> Status { return {}; },
                        [&](const auto& order) { return check_trial(order.trial); },
                    },
                    proposal);
}

Result<SearchOperations> Searcher::propose(const Proposal& proposal) {
  TRY(check(proposal));
  const bool starts = std::holds_alternative<ProposeTrial>(proposal) ||
                      std::holds_alternative<ResumeTrial>(proposal);
  if (starts && limit_ != SearchLimit::none) {
    return failed_precondition("the search has reached its limit; it begins nothing new");
  }
  SearchOperations operations = TRY(method_->proposed(proposal));
  operations = note(std::move(operations));
  if (std::holds_alternative<FinishSearch>(proposal)) shut_down_if_over(operations);
  return operations;
}

void Searcher::set_done(Trial& trial, double fraction) {
  const auto units = [](double part) { return static_cast<std::int64_t>(part * done_units); };
  done_ += units(fraction) - units(trial.progress);
  trial.progress = fraction;
}

void Searcher::set_trial_progress(SearchTrial number, double fraction) {
  Trial& trial = trial_at(number);
  if (trial.closed) return;
  set_done(trial, std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0, 1.0));
}

double Searcher::progress() const {
  const double fraction = method_->progress(static_cast<double>(done_) / done_units);
  return std::isfinite(fraction) ? fraction : 0;
}

Value Searcher::snapshot() const {
  std::vector<int> stopped, paused, closed;
  std::vector<double> progress;
  for (const Trial& trial : trials_) {
    stopped.push_back(trial.stopped);
    paused.push_back(trial.paused);
    closed.push_back(trial.closed);
    progress.push_back(trial.progress);
  }
  return Value::Object{{"method", name_of(config_)},
                       {"version", snapshot_version},
                       {"failures", failures_},
                       {"cancels", cancels_},
                       {"invalid", invalid_},
                       {"limit", static_cast<int>(limit_)},
                       {"stopped", snapshot_of(stopped)},
                       {"paused", snapshot_of(paused)},
                       {"closed", snapshot_of(closed)},
                       {"progress", snapshot_of(progress)},
                       {"state", method_->snapshot()}};
}

Status Searcher::restore(const Value& snapshot) {
  const std::string method = TRY(snapshot_text(snapshot, "method"));
  const int version = TRY(snapshot_int(snapshot, "version"));
  if (method != name_of(config_) || version != snapshot_version) {
    return failed_precondition("searcher snapshot is of method '", method, "' version ", version,
                               ", this searcher is '", name_of(config_), "' version ",
                               snapshot_version);
  }
  Searcher restored(config_, space_, 0);  // the stream is in the snapshot
  TRY(restored.restore_trials(snapshot));
  restored.failures_ = TRY(snapshot_int(snapshot, "failures"));
  restored.cancels_ = TRY(snapshot_int(snapshot, "cancels"));
  restored.invalid_ = TRY(snapshot_int(snapshot, "invalid"));
  const int last_limit = static_cast<int>(SearchLimit::hopeless);
  restored.limit_ = static_cast<SearchLimit>(TRY(snapshot_int(snapshot, "limit", 0, last_limit)));
  TRY(restored.method_->restore(snapshot["state"]));
  *this = std::move(restored);
  return {};
}

Status Searcher::restore_trials(const Value& snapshot) {
  const std::vector<int> stopped = TRY(snapshot_ints(snapshot, "stopped", 0, 1));
  const std::vector<int> paused = TRY(snapshot_ints(snapshot, "paused", 0, 1));
  const std::vector<int> closed = TRY(snapshot_ints(snapshot, "closed", 0, 1));
  const std::vector<double> progress = TRY(snapshot_numbers(snapshot, "progress"));
  const std::size_t trials = stopped.size();
  if (paused.size() != trials || closed.size() != trials || progress.size() != trials) {
    return data_loss("searcher snapshot: ", trials, ", ", paused.size(), ", ", closed.size(),
                     " and ", progress.size(),
                     " trials in 'stopped', 'paused', 'closed' and 'progress'");
  }
  for (std::size_t i = 0; i < trials; ++i) {
    trials_.push_back(
        {.stopped = stopped[i] == 1, .paused = paused[i] == 1, .closed = closed[i] == 1});
    set_done(trials_.back(), std::clamp(progress[i], 0.0, 1.0));
  }
  requested_ = static_cast<int>(trials);
  closed_ = static_cast<int>(std::count(closed.begin(), closed.end(), 1));
  return {};
}

}  // namespace dt::core
