#include "core/search/rungs.h"

#include <algorithm>
#include <cmath>

#include "core/search/snapshot.h"

namespace dt::core {

namespace {

bool before(const RungEntry& entry, double metric) { return entry.metric < metric; }

}  // namespace

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

std::int64_t trials_going_on(std::int64_t trials, double divisor) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(trials) / divisor),
                                1);
}

std::int64_t Rung::insert(const RungEntry& entry) {
  const auto place = std::lower_bound(entries.begin(), entries.end(), entry.metric, before);
  const std::int64_t index = place - entries.begin();
  entries.insert(place, entry);
  return index;
}

void Rung::erase(const RungEntry& entry) {
  const auto equals = std::lower_bound(entries.begin(), entries.end(), entry.metric, before);
  const auto place = std::find(equals, entries.end(), entry);
  VERIFY(place != entries.end(), "trial ", entry.trial, " has no metric on the rung of ", units);
  entries.erase(place);
}

RungLadder::RungLadder(std::vector<std::int64_t> units, double divisor) : divisor_(divisor) {
  VERIFY(!units.empty() && divisor > 1, units.size(), " rungs, divisor ", divisor);
  for (const std::int64_t needed : units) rungs_.push_back({.units = needed, .entries = {}});
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
    const std::int64_t index = rung.insert({.metric = metric, .trial = trial});
    self.set_metric(level, metric);
    const bool top = &rung == &rungs_.back();
    const auto trials_here = static_cast<std::int64_t>(rung.entries.size());
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
  rungs_[level].insert({.metric = worst_metric, .trial = trial});
  self.set_metric(level, worst_metric);
}

void RungLadder::remove(SearchTrial trial) {
  Climber& self = climber(trial);
  for (std::size_t level = 0; level < self.metrics.size(); ++level) {
    if (!self.has_metric(level)) continue;
    rungs_[level].erase({.metric = *self.metrics[level], .trial = trial});
  }
  self.metrics.clear();
}

Value RungLadder::snapshot() const {
  Value::Array rungs;
  for (const Rung& rung : rungs_) {
    std::vector<int> trials;
    std::vector<double> metrics;
    for (const RungEntry& entry : rung.entries) {
      trials.push_back(entry.trial);
      metrics.push_back(entry.metric);
    }
    Value one;
    one.set("units", rung.units);
    one.set("trials", snapshot_of(trials));
    one.set("metrics", snapshot_of(metrics));
    rungs.push_back(std::move(one));
  }
  std::vector<int> trial_rungs;
  for (const Climber& one : climbers_) trial_rungs.push_back(one.rung);
  return Value::Object{{"rungs", std::move(rungs)}, {"trial_rungs", snapshot_of(trial_rungs)}};
}

Status RungLadder::restore_rung(const Value& snapshot, Rung& rung, std::vector<Climber>& climbers,
                                std::size_t level) {
  const int last = static_cast<int>(climbers.size()) - 1;
  const std::vector<int> trials = TRY(snapshot_ints(snapshot, "trials", 0, last));
  const std::vector<double> metrics = TRY(snapshot_numbers(snapshot, "metrics"));
  if (snapshot["units"] != Value(rung.units)) {
    return data_loss("searcher snapshot: rung ", level, " is not the configured one of ",
                     rung.units, " units");
  }
  if (trials.size() != metrics.size() || !std::is_sorted(metrics.begin(), metrics.end())) {
    return data_loss("searcher snapshot: rung ", level, " has ", trials.size(), " trials and ",
                     metrics.size(), " metrics, which must be as many and ascending");
  }
  rung.entries.clear();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Climber& owner = climbers[static_cast<std::size_t>(trials[i])];
    if (owner.has_metric(level) || owner.rung < static_cast<int>(level)) {
      return data_loss("searcher snapshot: trial ", trials[i], " cannot be on rung ", level);
    }
    owner.set_metric(level, metrics[i]);
    rung.entries.push_back({.metric = metrics[i], .trial = trials[i]});
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
  std::vector<Rung> rungs = rungs_;
  for (std::size_t level = 0; level < rungs.size(); ++level) {
    TRY(restore_rung(levels.as_array()[level], rungs[level], climbers, level));
  }
  rungs_ = std::move(rungs);
  climbers_ = std::move(climbers);
  return {};
}

}  // namespace dt::core
