#include <algorithm>
#include <cmath>

#include "base/overload.h"
#include "core/search/method.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr int snapshot_version = 1;  // of every method so far

const char* name_of(const SearcherConfig& config) {
  return std::visit(Overload{
                        [](const SingleSearch&) { return "single"; },
                        [](const RandomSearch&) { return "random"; },
                        [](const GridSearch&) { return "grid"; },
                        [](const AsyncHalvingSearch&) { return "async_halving"; },
                    },
                    config.method);
}

}  // namespace

Searcher::Searcher(const SearcherConfig& config, const HyperparameterSpace& space,
                   std::uint32_t seed)
    : method_name_(name_of(config)), method_(make_search_method(config, space, seed)) {}

Searcher::Trial& Searcher::trial_at(SearchTrial trial) {
  VERIFY(trial >= 0 && trial < requested_, "trial ", trial, " of ", requested_);
  return trials_[static_cast<std::size_t>(trial)];
}

// Keeps the books on what the method asked for.
SearchOperations Searcher::note(SearchOperations operations) {
  for (const SearchOperation& operation : operations) {
    std::visit(Overload{
                   [&](const CreateTrial& create) {
                     VERIFY(create.trial == requested_, "trial ", create.trial, " after ",
                            requested_ - 1);
                     ++requested_;
                     trials_.emplace_back();
                   },
                   [&](const StopTrial& stop) { trial_at(stop.trial).stopped = true; },
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
  return note(method_->validation_completed(report));
}

SearchOperations Searcher::trial_exited(SearchTrial trial, ExitReason reason) {
  if (trial_at(trial).closed) return {};
  failures_ += reason == ExitReason::errored ? 1 : 0;
  cancels_ += reason == ExitReason::user_cancelled ? 1 : 0;
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
  if (closed_ == requested_) {
    operations.push_back(
        Shutdown{.cancel = cancels_ >= requested_, .failure = failures_ >= requested_});
  }
  return operations;
}

void Searcher::set_trial_progress(SearchTrial trial, double fraction) {
  trial_at(trial).progress = std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0, 1.0);
}

double Searcher::progress() const {
  std::vector<double> progress;
  progress.reserve(trials_.size());
  for (const Trial& trial : trials_) progress.push_back(trial.closed ? 1.0 : trial.progress);
  const double fraction = method_->progress(progress);
  return std::isfinite(fraction) ? fraction : 0;
}

Value Searcher::snapshot() const {
  std::vector<int> stopped, closed;
  std::vector<double> progress;
  for (const Trial& trial : trials_) {
    stopped.push_back(trial.stopped);
    closed.push_back(trial.closed);
    progress.push_back(trial.progress);
  }
  return Value::Object{{"method", method_name_},
                       {"version", snapshot_version},
                       {"failures", failures_},
                       {"cancels", cancels_},
                       {"stopped", snapshot_of(stopped)},
                       {"closed", snapshot_of(closed)},
                       {"progress", snapshot_of(progress)},
                       {"state", method_->snapshot()}};
}

Status Searcher::restore(const Value& snapshot) {
  const std::string method = TRY(snapshot_text(snapshot, "method"));
  const int version = TRY(snapshot_int(snapshot, "version"));
  if (method != method_name_ || version != snapshot_version) {
    return failed_precondition("searcher snapshot is of method '", method, "' version ", version,
                               ", this searcher is '", method_name_, "' version ",
                               snapshot_version);
  }
  const std::vector<int> stopped = TRY(snapshot_ints(snapshot, "stopped", 0, 1));
  const std::vector<int> closed = TRY(snapshot_ints(snapshot, "closed", 0, 1));
  const std::vector<double> progress = TRY(snapshot_numbers(snapshot, "progress"));
  if (stopped.size() != closed.size() || stopped.size() != progress.size()) {
    return data_loss("searcher snapshot: ", stopped.size(), ", ", closed.size(), " and ",
                     progress.size(), " trials in 'stopped', 'closed' and 'progress'");
  }
  const int failures = TRY(snapshot_int(snapshot, "failures"));
  const int cancels = TRY(snapshot_int(snapshot, "cancels"));
  TRY(method_->restore(snapshot["state"]));
  trials_.clear();
  for (std::size_t i = 0; i < stopped.size(); ++i) {
    trials_.push_back(
        {.stopped = stopped[i] == 1, .closed = closed[i] == 1, .progress = progress[i]});
  }
  requested_ = static_cast<int>(trials_.size());
  closed_ = static_cast<int>(std::count(closed.begin(), closed.end(), 1));
  failures_ = failures;
  cancels_ = cancels;
  return {};
}

}  // namespace dt::core
