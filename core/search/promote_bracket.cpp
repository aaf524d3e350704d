#include "core/search/promote_bracket.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr double resumed_share = 0.5;  // of those that may go on at once
constexpr int scouts = 16;
constexpr int scouted_trials = 100;  // a smaller search has no trials to spare for scouting
constexpr std::string_view phase_letters = "opce";  // in the order of Phase

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

PromoteBracket::PromoteBracket(const AsyncHalvingSearch& search, bool replaces_invalid, Rule rule)
    : search_(search),
      replaces_invalid_(replaces_invalid),
      rule_(rule),
      places_(concurrent_trials(search)) {
  for (const std::int64_t units : rung_units(search.num_rungs, search.divisor, search.max_time)) {
    rungs_.push_back({.units = units, .entries = Ranking(Ranking::Ties::by_trial)});
  }
  waiting_.resize(rungs_.size());
  working_.resize(rungs_.size());
  promoted_.resize(rungs_.size());
}

int PromoteBracket::open() const { return std::accumulate(working_.begin(), working_.end(), 0); }

bool PromoteBracket::is_over() const {
  const bool none_waits = std::all_of(waiting_.begin(), waiting_.end(),
                                      [](const Waiting& waiting) { return waiting.empty(); });
  return none_waits && open() == 0 && !may_create();
}

PromoteBracket::Climber& PromoteBracket::climber(int trial) {
  VERIFY(trial >= 0 && trial < trials(), "no trial ", trial);
  return climbers_[index_of(trial)];
}

bool PromoteBracket::may_create() const { return trials() - invalid_ < search_.max_trials; }

bool PromoteBracket::is_scout(int trial) const {
  const bool can_compare = rungs_.size() >= 3;  // the second rung is not the top
  return trial < scouts && can_compare && search_.max_trials >= scouted_trials &&
         rule_ == Rule::each_at_once;
}

// It has passed no rung yet, and will be judged on the first when it has reached the second.
bool PromoteBracket::is_scouting(int trial) const {
  const Climber& self = climbers_[index_of(trial)];
  const bool unjudged = self.phase == Phase::open && self.rung == 0 && self.metrics.empty();
  if (!is_scout(trial) || !unjudged) return false;
  const Report* first = first_kept(trial, 0);
  const bool diverged = first != nullptr && first->metric == worst_metric;
  return !diverged && first_kept(trial, 1) == nullptr;
}

void PromoteBracket::scouted(int trial) {
  const Report* first = first_kept(trial, 0);
  const Report* next = first_kept(trial, 1);
  if (first != nullptr && next != nullptr && first != next) {
    evidence_.add(first->metric, next->metric);
  }
}

// The one of its kept values that counts on the rung.
const PromoteBracket::Report* PromoteBracket::first_kept(int trial, int rung) const {
  for (const Report& report : climbers_[index_of(trial)].kept) {
    if (report.time >= rungs_[index_of(rung)].units) return &report;
  }
  return nullptr;
}

// Whether the entry of the rung is among its `best`.
bool PromoteBracket::is_among(int rung, std::int64_t best, const RungEntry& entry) const {
  const Ranking& entries = rungs_[index_of(rung)].entries;
  return best > 0 && !entries.before(entries.at(best - 1), entry);
}

bool PromoteBracket::first_is_among(int rung, std::int64_t best) const {
  const Waiting& waiting = waiting_[index_of(rung)];
  if (waiting.empty()) return false;
  const auto [metric, trial] = *waiting.begin();
  return is_among(rung, best, {.metric = metric, .trial = trial});
}

std::int64_t PromoteBracket::best_share(int rung, double share) const {
  const auto entries = static_cast<double>(rungs_[index_of(rung)].entries.size());
  return static_cast<std::int64_t>(entries / search_.divisor * share);
}

// How many of a rung's best may be resumed. One that is among the best 1/divisor only since others
// came is at the margin, and resuming it costs something: a new sample is worth more than that. But
// not before the next rung has what it needs to compare, nor when there is no new sample.
std::int64_t PromoteBracket::resumable(int rung) const {
  if (passes_all(rung)) return rungs_[index_of(rung)].entries.size();
  const double needed = is_top(rung + 1) ? 1 : search_.divisor;
  const bool next_can_compare = promoted_[index_of(rung)] >= needed;
  return best_share(rung, next_can_compare && may_create() ? resumed_share : 1);
}

// The highest rung first: what is nearest to the top is worth most.
std::optional<int> PromoteBracket::next_promotion() const {
  if (rule_ == Rule::together) return next_together();
  for (int rung = static_cast<int>(rungs_.size()) - 1; rung-- > 0;) {
    if (first_is_among(rung, resumable(rung))) return waiting_[index_of(rung)].begin()->second;
  }
  return std::nullopt;
}

std::optional<int> PromoteBracket::next_together() const {
  bool all_came = !may_create();
  for (int rung = 0; !is_top(rung); ++rung) {
    all_came = all_came && working_[index_of(rung)] == 0;
    if (!all_came) break;
    const std::int64_t entries = rungs_[index_of(rung)].entries.size();
    const bool goes_on =
        entries > 0 && first_is_among(rung, trials_going_on(entries, search_.divisor));
    if (goes_on) return waiting_[index_of(rung)].begin()->second;
  }
  return std::nullopt;
}

std::optional<int> PromoteBracket::last_promotion() const {
  for (std::size_t rung = rungs_.size() - 1; rung-- > 0;) {
    const Ranking& above = rungs_[rung + 1].entries;
    const bool reached = above.size() > 0 && above.at(0).metric != worst_metric;
    if (!reached && !waiting_[rung].empty()) return waiting_[rung].begin()->second;
  }
  return std::nullopt;
}

void PromoteBracket::create(BracketMoves& moves) {
  climbers_.emplace_back();
  ++working(0);
  ++moves.creates;
}

void PromoteBracket::keep(int trial, const Report& report) {
  std::vector<Report>& kept = climber(trial).kept;
  const auto place =
      std::upper_bound(kept.begin(), kept.end(), report,
                       [](const Report& a, const Report& b) { return a.time < b.time; });
  kept.insert(place, report);
}

// Whether its kept values reach the rung that it works on; then the first that does is judged, and
// what may count on the next rung stays.
bool PromoteBracket::reach(int trial) {
  Climber& self = climber(trial);
  Rung& rung = rungs_[index_of(self.rung)];
  const auto first = std::find_if(self.kept.begin(), self.kept.end(),
                                  [&](const Report& one) { return one.time >= rung.units; });
  const bool reached = first != self.kept.end();
  if (reached) {
    rung.entries.insert({.metric = first->metric, .trial = trial});
    self.metrics.push_back(first->metric);
    const bool is_evidence = self.rung == 1 && !is_scout(trial) && passes_all(0);
    if (is_evidence) evidence_.add(self.metrics[0], self.metrics[1]);
  }
  self.kept.erase(self.kept.begin(), first);
  const auto counts_above = [&](const Report& one) {
    return !is_top(self.rung) && one.time >= rungs_[index_of(self.rung) + 1].units;
  };
  std::erase_if(self.kept, [&](const Report& one) { return !counts_above(one); });
  return reached;
}

// It has reached a rung and waits there, unless nothing can come after.
void PromoteBracket::rest(int trial, BracketMoves& moves) {
  Climber& self = climber(trial);
  if (!is_top(self.rung) && self.metrics.back() != worst_metric) {
    waiting_[index_of(self.rung)].emplace(self.metrics.back(), trial);
    return;
  }
  if (self.phase != Phase::complete) moves.stops.push_back(trial);
  self.phase = Phase::over;
}

void PromoteBracket::promote(int trial, BracketMoves& moves) {
  Climber& self = climber(trial);
  waiting_[index_of(self.rung)].erase({self.metrics.back(), trial});
  ++promoted_[index_of(self.rung)];
  ++self.rung;
  if (reach(trial)) return rest(trial, moves);
  if (self.phase == Phase::complete) {
    self.phase = Phase::over;
    return;
  }
  self.phase = Phase::open;
  ++working(self.rung);
  moves.resumes.push_back(trial);
}

void PromoteBracket::leave(int trial) {
  Climber& self = climber(trial);
  if (self.phase == Phase::open) --working(self.rung);
  const bool waits = self.phase == Phase::paused || self.phase == Phase::complete;
  if (waits) waiting_[index_of(self.rung)].erase({self.metrics.back(), trial});
  self.phase = Phase::over;
  self.kept.clear();
}

void PromoteBracket::forget_metrics(int trial) {
  Climber& self = climber(trial);
  for (std::size_t rung = 0; rung < self.metrics.size(); ++rung) {
    rungs_[rung].entries.erase({.metric = self.metrics[rung], .trial = trial});
  }
  self.metrics.clear();
}

void PromoteBracket::stop_waiting(BracketMoves& moves) {
  for (Waiting& waiting : waiting_) {
    for (const auto& [metric, trial] : waiting) {
      Climber& self = climber(trial);
      if (self.phase == Phase::paused) moves.stops.push_back(trial);
      self.phase = Phase::over;
      self.kept.clear();
    }
    waiting.clear();
  }
}

// Who has just reported and is among the best 1/divisor keeps its place: no pause, no resume.
void PromoteBracket::go_on(int trial, BracketMoves& moves) {
  if (rule_ == Rule::together) return;
  while (climber(trial).phase == Phase::paused) {
    const Climber& self = climber(trial);
    const RungEntry entry{.metric = self.metrics.back(), .trial = trial};
    if (!passes_all(self.rung) && !is_among(self.rung, best_share(self.rung, 1), entry)) return;
    promote(trial, moves);
  }
}

// Gives every free place the best job there is.
void PromoteBracket::fill(BracketMoves& moves) {
  while (open() < places_) {
    if (const std::optional<int> next = next_promotion()) {
      promote(*next, moves);
    } else if (may_create()) {
      create(moves);
    } else if (open() > 0) {
      return;
    } else if (const std::optional<int> last = last_promotion()) {
      promote(*last, moves);
    } else {
      return stop_waiting(moves);
    }
  }
}

BracketMoves PromoteBracket::fill() {
  BracketMoves moves;
  fill(moves);
  return moves;
}

BracketMoves PromoteBracket::start() { return fill(); }

BracketMoves PromoteBracket::reported(int trial, std::int64_t time, double metric) {
  BracketMoves moves;
  const Phase before = climber(trial).phase;
  if (before != Phase::open && before != Phase::paused) return moves;
  keep(trial, {.time = time, .metric = metric});
  if (before == Phase::paused || is_scouting(trial)) return moves;
  if (is_scout(trial) && climber(trial).metrics.empty()) scouted(trial);
  if (!reach(trial)) return moves;
  climber(trial).phase = Phase::paused;
  --working(climber(trial).rung);
  rest(trial, moves);
  go_on(trial, moves);
  fill(moves);
  const Phase now = climber(trial).phase;
  if (now == Phase::open) std::erase(moves.resumes, trial);  // it never stopped
  if (now == Phase::paused) moves.pauses.push_back(trial);
  return moves;
}

BracketMoves PromoteBracket::exited_early(int trial, ExitReason reason) {
  BracketMoves moves;
  Climber& self = climber(trial);
  if (reason == ExitReason::completed && self.phase == Phase::paused) {
    self.phase = Phase::complete;
    return moves;
  }
  const bool was_open = self.phase == Phase::open;
  if (is_scouting(trial)) reach(trial);  // its value on the first rung stands
  leave(trial);
  if (reason == ExitReason::invalid_hp) {
    forget_metrics(trial);
    if (replaces_invalid_) ++invalid_;
    moves.stops.push_back(trial);
  } else if (reason != ExitReason::completed && was_open && !self.has_metric()) {
    rungs_[index_of(self.rung)].entries.insert({.metric = worst_metric, .trial = trial});
    self.metrics.push_back(worst_metric);
  }
  fill(moves);
  return moves;
}

void PromoteBracket::exited(int) { ++exited_; }

// As of the stop rule: a fifth is kept in reserve for trials that go on when all have started.
double PromoteBracket::progress() const {
  const auto judged = static_cast<double>(rungs_.front().entries.size());
  const double max_trials = search_.max_trials;
  double progress = judged / (1.2 * max_trials);
  if (judged == max_trials) progress = std::max(progress, (exited_ - invalid_) / max_trials);
  return std::clamp(progress, 0.0, 1.0);
}

std::vector<RungState> PromoteBracket::rungs() const {
  std::vector<RungState> states;
  for (const Rung& rung : rungs_) {
    const int level = static_cast<int>(states.size());
    RungState state = state_of(rung);
    for (const RungEntry& entry : rung.entries.list()) {
      const Climber& one = climbers_[index_of(entry.trial)];
      const bool went_on = one.rung > level;
      const bool waits = !went_on && (one.phase == Phase::paused || one.phase == Phase::complete);
      const bool ended = !went_on && !waits && (!is_top(level) || entry.metric == worst_metric);
      state.continued += went_on ? 1 : 0;
      state.paused += waits ? 1 : 0;
      state.stopped += ended ? 1 : 0;
    }
    states.push_back(state);
  }
  return states;
}

Value PromoteBracket::snapshot() const {
  Value::Array rungs, kept;
  for (const Rung& rung : rungs_) rungs.push_back(snapshot_of(rung));
  std::string phases;  // "oop…": a letter a trial
  std::vector<int> trial_rungs;
  for (std::size_t trial = 0; trial < climbers_.size(); ++trial) {
    const Climber& one = climbers_[trial];
    phases += phase_letters[static_cast<std::size_t>(one.phase)];
    trial_rungs.push_back(one.rung);
    for (const Report& report : one.kept) {
      kept.push_back(Value::Array{static_cast<int>(trial), report.time, report.metric});
    }
  }
  return Value::Object{{"evidence", evidence_.snapshot()},
                       {"exited", exited_},
                       {"invalid", invalid_},
                       {"kept", std::move(kept)},
                       {"phases", std::move(phases)},
                       {"rungs", std::move(rungs)},
                       {"trial_rungs", snapshot_of(trial_rungs)}};
}

Status PromoteBracket::restore_kept(const Value& snapshot) {
  if (!snapshot["kept"].is_array()) return data_loss("searcher snapshot: 'kept' must be a list");
  for (const Value& one : snapshot["kept"].as_array()) {
    const bool is_report = one.is_array() && one.as_array().size() == 3 &&
                           one.as_array()[0].is_int() && one.as_array()[1].is_int() &&
                           one.as_array()[2].is_number();
    const std::int64_t trial = is_report ? one.as_array()[0].as_int() : -1;
    if (trial < 0 || trial >= trials()) {
      return data_loss("searcher snapshot: 'kept' must list a trial, a time and a metric each");
    }
    climbers_[static_cast<std::size_t>(trial)].kept.push_back(
        {.time = one.as_array()[1].as_int(), .metric = one.as_array()[2].as_double()});
  }
  return {};
}

// What each trial has on the rungs, and who waits there.
Status PromoteBracket::restore_places() {
  for (std::size_t level = 0; level < rungs_.size(); ++level) {
    for (const RungEntry& entry : rungs_[level].entries.list()) {
      std::vector<double>& metrics = climber(entry.trial).metrics;
      if (metrics.size() != level) {
        return data_loss("searcher snapshot: trial ", entry.trial, " cannot be on rung ", level);
      }
      metrics.push_back(entry.metric);
    }
  }
  for (int trial = 0; trial < trials(); ++trial) {
    const Climber& self = climber(trial);
    for (int rung = 0; rung < self.rung; ++rung) ++promoted_[index_of(rung)];
    if (self.phase == Phase::open) ++working(self.rung);
    if (self.phase != Phase::paused && self.phase != Phase::complete) continue;
    if (self.metrics.size() != index_of(self.rung) + 1) {
      return data_loss("searcher snapshot: trial ", trial, " waits on rung ", self.rung,
                       " without a metric");
    }
    waiting_[index_of(self.rung)].emplace(self.metrics.back(), trial);
  }
  return {};
}

Status PromoteBracket::restore(const Value& snapshot) {
  exited_ = TRY(snapshot_int(snapshot, "exited"));
  invalid_ = TRY(snapshot_int(snapshot, "invalid"));
  const int top = static_cast<int>(rungs_.size()) - 1;
  const std::string phases = TRY(snapshot_text(snapshot, "phases"));
  const std::vector<int> trial_rungs = TRY(snapshot_ints(snapshot, "trial_rungs", 0, top));
  const Value& levels = snapshot["rungs"];
  const bool fits = phases.size() == trial_rungs.size() && levels.is_array() &&
                    levels.as_array().size() == rungs_.size() &&
                    phases.find_first_not_of(phase_letters) == std::string::npos;
  if (!fits) {
    return data_loss("searcher snapshot: 'phases' (", phases.size(), " of the letters ",
                     phase_letters, "), 'trial_rungs' (", trial_rungs.size(), ") and 'rungs' (",
                     rungs_.size(), ") do not fit together");
  }
  for (std::size_t trial = 0; trial < phases.size(); ++trial) {
    const auto phase = static_cast<Phase>(phase_letters.find(phases[trial]));
    climbers_.push_back({.phase = phase, .rung = trial_rungs[trial], .metrics = {}, .kept = {}});
  }
  for (std::size_t level = 0; level < rungs_.size(); ++level) {
    TRY(restore_rung(levels.as_array()[level], trials(), rungs_[level]));
  }
  TRY(evidence_.restore(snapshot["evidence"]));
  TRY(restore_kept(snapshot));
  return restore_places();
}

}  // namespace dt::core
