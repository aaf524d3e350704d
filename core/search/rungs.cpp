#include "core/search/rungs.h"

#include <algorithm>
#include <cmath>

#include "core/search/snapshot.h"

namespace dt::core {

double judged_metric(double metric, bool smaller_is_better) {
  if (std::isnan(metric)) return worst_metric;
  return std::clamp(smaller_is_better ? metric : -metric, -worst_metric, worst_metric);
}

std::vector<std::int64_t> rung_units(int rungs, double divisor, std::int64_t max_time) {
  std::vector<std::int64_t> units;
  for (int i = 0; i < rungs; ++i) {
    const double needed = static_cast<double>(max_time) / std::pow(divisor, rungs - 1 - i);
    // The top is max_time itself, which a double may not hold.
    units.push_back(i == rungs - 1 ? std::max<std::int64_t>(max_time, 1)
                                   : std::max<std::int64_t>(static_cast<std::int64_t>(needed), 1));
  }
  return units;
}

std::int64_t units_reached(const std::vector<std::int64_t>& units, std::int64_t time) {
  const auto above = std::upper_bound(units.begin(), units.end(), time);
  return above == units.begin() ? 0 : *(above - 1);
}

std::int64_t trials_going_on(std::int64_t trials, double divisor) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(trials) / divisor),
                                1);
}

RungState state_of(const Rung& rung) {
  RungState state{.units = rung.units, .trials = static_cast<int>(rung.entries.size())};
  const bool any_good = rung.entries.size() > 0 && rung.entries.at(0).metric != worst_metric;
  if (any_good) state.best = rung.entries.at(0).metric;
  return state;
}

Value snapshot_of(const Rung& rung) {
  std::vector<int> trials;
  std::vector<double> metrics;
  for (const RungEntry& entry : rung.entries.list()) {
    trials.push_back(entry.trial);
    metrics.push_back(entry.metric);
  }
  return Value::Object{
      {"units", rung.units}, {"trials", snapshot_of(trials)}, {"metrics", snapshot_of(metrics)}};
}

Status restore_rung(const Value& snapshot, int trials, Rung& rung) {
  const std::vector<int> owners = TRY(snapshot_ints(snapshot, "trials", 0, trials - 1));
  const std::vector<double> metrics = TRY(snapshot_numbers(snapshot, "metrics"));
  if (snapshot["units"] != Value(rung.units)) {
    return data_loss("searcher snapshot: a rung is not the configured one of ", rung.units,
                     " units");
  }
  if (owners.size() != metrics.size() || !std::is_sorted(metrics.begin(), metrics.end())) {
    return data_loss("searcher snapshot: the rung of ", rung.units, " units has ", owners.size(),
                     " trials and ", metrics.size(),
                     " metrics, which must be as many and ascending");
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const RungEntry entry{.metric = metrics[i], .trial = owners[i]};
    const bool in_order =
        i == 0 || !rung.entries.before(entry, rung.entries.at(rung.entries.size() - 1));
    if (!in_order) return data_loss("searcher snapshot: trial ", owners[i], " is out of order");
    rung.entries.append(entry);
  }
  return {};
}

RungLadder::RungLadder(std::vector<std::int64_t> units, double divisor) : divisor_(divisor) {
  VERIFY(!units.empty() && divisor > 1, units.size(), " rungs, divisor ", divisor);
  for (const std::int64_t needed : units) rungs_.push_back({.units = needed, .entries = Ranking()});
}

void RungLadder::Climber::set_metric(std::size_t level, double metric) {
  if (level >= metrics.size()) metrics.resize(level + 1);
  metrics[level] = metric;
}

void RungLadder::add_trial() { climbers_.emplace_back(); }

RungLadder::Climber& RungLadder::climber(SearchTrial trial) {
  VERIFY(trial >= 0 && trial < trials(), "no trial ", trial, " among ", trials());
  return climbers_[static_cast<std::size_t>(trial)];
}

int RungLadder::rung_of(SearchTrial trial) const {
  VERIFY(trial >= 0 && trial < trials(), "no trial ", trial, " among ", trials());
  return climbers_[static_cast<std::size_t>(trial)].rung;
}

RungLadder::Verdict RungLadder::judge(SearchTrial trial, std::int64_t time, double metric) {
  Climber& self = climber(trial);
  for (;;) {
    const auto level = static_cast<std::size_t>(self.rung);
    Rung& rung = rungs_[level];
    if (time < rung.units) return Verdict::go_on;
    const std::int64_t index = rung.entries.insert({.metric = metric, .trial = trial});
    self.set_metric(level, metric);
    const bool top = &rung == &rungs_.back();
    const std::int64_t trials_here = rung.entries.size();
    // The worst value stops even where it came first: else a trial that diverged would go on, and
    // stand where every later one is compared with.
    if (top || metric == worst_metric || index >= trials_going_on(trials_here, divisor_)) {
      return Verdict::stop;
    }
    ++self.rung;
  }
}

void RungLadder::fail(SearchTrial trial) {
  Climber& self = climber(trial);
  const auto level = static_cast<std::size_t>(self.rung);
  if (self.has_metric(level)) return;
  rungs_[level].entries.insert({.metric = worst_metric, .trial = trial});
  self.set_metric(level, worst_metric);
}

void RungLadder::remove(SearchTrial trial) {
  Climber& self = climber(trial);
  for (std::size_t level = 0; level < self.metrics.size(); ++level) {
    if (!self.has_metric(level)) continue;
    rungs_[level].entries.erase({.metric = *self.metrics[level], .trial = trial});
  }
  self.metrics.clear();
}

Value RungLadder::snapshot() const {
  Value::Array rungs;
  for (const Rung& rung : rungs_) rungs.push_back(snapshot_of(rung));
  std::vector<int> trial_rungs;
  for (const Climber& one : climbers_) trial_rungs.push_back(one.rung);
  return Value::Object{{"rungs", std::move(rungs)}, {"trial_rungs", snapshot_of(trial_rungs)}};
}

Status RungLadder::place_on_rung(const Rung& rung, std::vector<Climber>& climbers,
                                 std::size_t level) {
  for (const RungEntry& entry : rung.entries.list()) {
    Climber& owner = climbers[static_cast<std::size_t>(entry.trial)];
    if (owner.has_metric(level) || owner.rung < static_cast<int>(level)) {
      return data_loss("searcher snapshot: trial ", entry.trial, " cannot be on rung ", level);
    }
    owner.set_metric(level, entry.metric);
  }
  return {};
}

Status RungLadder::restore(const Value& snapshot) {
  const Value& levels = snapshot["rungs"];
  if (!levels.is_array() || levels.as_array().size() != rungs_.size()) {
    return data_loss("searcher snapshot: 'rungs' must be a list of ", rungs_.size());
  }
  const int top = static_cast<int>(rungs_.size()) - 1;
  std::vector<Climber> climbers;
  for (const int rung : TRY(snapshot_ints(snapshot, "trial_rungs", 0, top))) {
    climbers.push_back({.rung = rung, .metrics = {}});
  }
  std::vector<Rung> rungs;
  for (std::size_t level = 0; level < rungs_.size(); ++level) {
    Rung rung{.units = rungs_[level].units, .entries = Ranking()};
    TRY(restore_rung(levels.as_array()[level], static_cast<int>(climbers.size()), rung));
    TRY(place_on_rung(rung, climbers, level));
    rungs.push_back(std::move(rung));
  }
  rungs_ = std::move(rungs);
  climbers_ = std::move(climbers);
  return {};
}

}  // namespace dt::core
