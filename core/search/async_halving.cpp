#include "core/search/async_halving.h"

#include "core/search/rungs.h"
#include "core/search/snapshot.h"

namespace dt::core {

AsyncHalvingMethod::AsyncHalvingMethod(const std::vector<AsyncHalvingSearch>& brackets,
                                       bool smaller_is_better, TrialMaker maker)
    : smaller_is_better_(smaller_is_better), maker_(std::move(maker)) {
  VERIFY(!brackets.empty(), "a halving search without a bracket");
  for (const AsyncHalvingSearch& one : brackets) {
    ladders_.push_back({.bracket = make_bracket(one, maker_.can_vary()),
                        .units = rung_units(one.num_rungs, one.divisor, one.max_time)});
    trials_wanted_ += one.max_trials;
  }
}

SearchOperations AsyncHalvingMethod::initial_trials() {
  SearchOperations operations;
  for (std::size_t i = 0; i < ladders_.size(); ++i) {
    trials_.perform(static_cast<int>(i), ladders_[i].bracket->start(), maker_, operations);
  }
  return operations;
}

SearchOperations AsyncHalvingMethod::validation_completed(const ValidationReport& report) {
  const auto [bracket, trial] = trials_.member(report.trial);
  const double metric = judged_metric(report.metric, smaller_is_better_);
  const Ladder& ladder = ladders_[static_cast<std::size_t>(bracket)];
  maker_.observe(report.trial, units_reached(ladder.units, report.time), metric);
  SearchOperations operations;
  trials_.perform(bracket, ladder.bracket->reported(trial, report.time, metric), maker_,
                  operations);
  return operations;
}

SearchOperations AsyncHalvingMethod::trial_exited_early(SearchTrial number, ExitReason reason) {
  const auto [bracket, trial] = trials_.member(number);
  if (reason != ExitReason::completed) maker_.fail(number);
  SearchOperations operations;
  const Ladder& ladder = ladders_[static_cast<std::size_t>(bracket)];
  trials_.perform(bracket, ladder.bracket->exited_early(trial, reason), maker_, operations);
  return operations;
}

SearchOperations AsyncHalvingMethod::trial_exited(SearchTrial number) {
  const auto [bracket, trial] = trials_.member(number);
  ladders_[static_cast<std::size_t>(bracket)].bracket->exited(trial);
  return {};
}

double AsyncHalvingMethod::progress(double) const {
  double sum = 0;
  for (const Ladder& ladder : ladders_) sum += ladder.bracket->progress();
  return sum / static_cast<double>(ladders_.size());
}

std::vector<RungState> AsyncHalvingMethod::rungs() const {
  std::vector<RungState> states;
  for (std::size_t i = 0; i < ladders_.size(); ++i) {
    for (RungState state : ladders_[i].bracket->rungs()) {
      state.bracket = static_cast<int>(i);
      if (state.best && !smaller_is_better_) state.best = -*state.best;
      states.push_back(state);
    }
  }
  return states;
}

Value AsyncHalvingMethod::snapshot() const {
  Value::Array brackets;
  for (const Ladder& ladder : ladders_) brackets.push_back(ladder.bracket->snapshot());
  return Value::Object{{"brackets", std::move(brackets)},
                       {"bracket_of", trials_.snapshot()},
                       {"maker", maker_.snapshot()}};
}

Status AsyncHalvingMethod::restore(const Value& snapshot) {
  const Value& brackets = snapshot["brackets"];
  if (!brackets.is_array() || brackets.as_array().size() != ladders_.size()) {
    return data_loss("searcher snapshot: 'brackets' must be a list of ", ladders_.size());
  }
  TRY(maker_.restore(snapshot["maker"]));
  TRY(trials_.restore(snapshot, static_cast<int>(ladders_.size())));
  for (std::size_t i = 0; i < ladders_.size(); ++i) {
    Bracket& bracket = *ladders_[i].bracket;
    TRY(bracket.restore(brackets.as_array()[i]));
    const int members = trials_.trials_of(static_cast<int>(i));
    if (bracket.trials() == members) continue;
    return data_loss("searcher snapshot: bracket ", i, " has ", bracket.trials(),
                     " trials, in 'bracket_of' there are ", members);
  }
  if (maker_.created() == trials_.size()) return {};
  return data_loss("searcher snapshot: ", trials_.size(), " trials in 'bracket_of', ",
                   maker_.created(), " made");
}

}  // namespace dt::core
