#include "core/search/hyperband.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/search/adaptive_asha.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

std::vector<AsyncHalvingSearch> hyperband_brackets(const HyperbandSearch& search) {
  const auto max_time = static_cast<double>(search.max_time);
  const int most = std::min(search.max_rungs, floor_log(max_time, search.divisor) + 1);
  std::vector<AsyncHalvingSearch> brackets;
  int left = search.max_trials;
  for (int rungs = most; left > 0; rungs = rungs > 1 ? rungs - 1 : most) {
    const double share = static_cast<double>(most) / rungs * std::pow(search.divisor, rungs - 1);
    const int trials = static_cast<int>(std::min(std::ceil(share), static_cast<double>(left)));
    left -= trials;
    brackets.push_back({.num_rungs = rungs,
                        .max_trials = trials,
                        .divisor = search.divisor,
                        .max_concurrent_trials = 0,
                        .time_metric = search.time_metric,
                        .max_time = search.max_time,
                        .promote = true});
  }
  return brackets;
}

HyperbandMethod::HyperbandMethod(const HyperbandSearch& search, bool smaller_is_better,
                                 TrialMaker maker)
    : search_(search),
      smaller_is_better_(smaller_is_better),
      maker_(std::move(maker)),
      plan_(hyperband_brackets(search)) {}

int HyperbandMethod::free_places() const {
  const bool limited = search_.max_concurrent_trials > 0;
  return (limited ? search_.max_concurrent_trials : plan_.front().max_trials) - open_;
}

PromoteBracket& HyperbandMethod::without_places(int bracket) {
  PromoteBracket& one = brackets_[index_of(bracket)];
  one.set_places(0);
  return one;
}

void HyperbandMethod::begin_bracket() {
  brackets_.emplace_back(plan_[brackets_.size()], maker_.can_vary(),
                         PromoteBracket::Rule::together);
}

void HyperbandMethod::perform(int bracket, const BracketMoves& moves,
                              SearchOperations& operations) {
  trials_.perform(bracket, moves, maker_, operations);
  open_ = 0;
  for (std::size_t i = index_of(first_); i < brackets_.size(); ++i) open_ += brackets_[i].open();
}

// The older brackets first: what they have begun is nearer to an end.
void HyperbandMethod::fill(SearchOperations& operations) {
  for (int bracket = first_; free_places() > 0; ++bracket) {
    if (bracket == static_cast<int>(plan_.size())) break;
    if (bracket == static_cast<int>(brackets_.size())) begin_bracket();
    PromoteBracket& one = brackets_[index_of(bracket)];
    one.set_places(one.open() + free_places());
    perform(bracket, one.fill(), operations);
  }
  while (index_of(first_) < brackets_.size() && brackets_[index_of(first_)].is_over()) ++first_;
}

// A trial that was paused and is the best job there is just goes on.
void HyperbandMethod::drop_needless_pause(SearchTrial trial, SearchOperations& operations) {
  const bool resumed = std::find(operations.begin(), operations.end(),
                                 SearchOperation(ResumeTrial{trial})) != operations.end();
  if (!resumed) return;
  std::erase(operations, SearchOperation(PauseTrial{trial}));
  std::erase(operations, SearchOperation(ResumeTrial{trial}));
}

SearchOperations HyperbandMethod::initial_trials() {
  SearchOperations operations;
  fill(operations);
  return operations;
}

SearchOperations HyperbandMethod::validation_completed(const ValidationReport& report) {
  const auto [bracket, trial] = trials_.member(report.trial);
  const double metric = judged_metric(report.metric, smaller_is_better_);
  const AsyncHalvingSearch& plan = plan_[index_of(bracket)];
  const auto units = rung_units(plan.num_rungs, plan.divisor, plan.max_time);
  maker_.observe(report.trial, units_reached(units, report.time), metric);
  SearchOperations operations;
  perform(bracket, without_places(bracket).reported(trial, report.time, metric), operations);
  fill(operations);
  drop_needless_pause(report.trial, operations);
  return operations;
}

SearchOperations HyperbandMethod::trial_exited_early(SearchTrial number, ExitReason reason) {
  const auto [bracket, trial] = trials_.member(number);
  if (reason != ExitReason::completed) maker_.fail(number);
  first_ = std::min(first_, bracket);  // an invalid trial may be replaced
  SearchOperations operations;
  perform(bracket, without_places(bracket).exited_early(trial, reason), operations);
  fill(operations);
  return operations;
}

SearchOperations HyperbandMethod::trial_exited(SearchTrial number) {
  const auto [bracket, trial] = trials_.member(number);
  brackets_[index_of(bracket)].exited(trial);
  return {};
}

double HyperbandMethod::progress(double trials_done) const {
  return std::clamp(trials_done / search_.max_trials, 0.0, 1.0);
}

std::vector<RungState> HyperbandMethod::rungs() const {
  std::map<std::pair<int, std::int64_t>, RungState> states;  // by shape and units
  const int most = plan_.front().num_rungs;
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const int shape = most - plan_[i].num_rungs;
    for (const auto units : rung_units(plan_[i].num_rungs, plan_[i].divisor, plan_[i].max_time)) {
      RungState& state = states[{shape, units}];
      state.bracket = shape;
      state.units = units;
    }
    if (i >= brackets_.size()) continue;
    for (const RungState& one : brackets_[i].rungs()) {
      RungState& state = states.at({shape, one.units});
      state.trials += one.trials;
      state.continued += one.continued;
      state.paused += one.paused;
      state.stopped += one.stopped;
      if (one.best && (!state.best || *one.best < *state.best)) state.best = one.best;
    }
  }
  std::vector<RungState> list;
  for (auto& [place, state] : states) {
    if (state.best && !smaller_is_better_) state.best = -*state.best;
    list.push_back(state);
  }
  return list;
}

Value HyperbandMethod::snapshot() const {
  Value::Array brackets;
  for (const PromoteBracket& bracket : brackets_) brackets.push_back(bracket.snapshot());
  return Value::Object{{"brackets", std::move(brackets)},
                       {"bracket_of", trials_.snapshot()},
                       {"maker", maker_.snapshot()}};
}

Status HyperbandMethod::restore(const Value& snapshot) {
  const Value& brackets = snapshot["brackets"];
  if (!brackets.is_array() || brackets.as_array().size() > plan_.size()) {
    return data_loss("searcher snapshot: 'brackets' must be a list of ", plan_.size(), " at most");
  }
  TRY(maker_.restore(snapshot["maker"]));
  TRY(trials_.restore(snapshot, static_cast<int>(brackets.as_array().size())));
  for (const Value& bracket : brackets.as_array()) {
    begin_bracket();
    TRY(brackets_.back().restore(bracket));
    const int number = static_cast<int>(brackets_.size()) - 1;
    if (brackets_.back().trials() == trials_.trials_of(number)) continue;
    return data_loss("searcher snapshot: bracket ", number, " has ", brackets_.back().trials(),
                     " trials, in 'bracket_of' there are ", trials_.trials_of(number));
  }
  while (index_of(first_) < brackets_.size() && brackets_[index_of(first_)].is_over()) ++first_;
  for (const PromoteBracket& bracket : brackets_) open_ += bracket.open();
  return {};
}

}  // namespace dt::core
