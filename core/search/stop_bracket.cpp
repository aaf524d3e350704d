#include "core/search/stop_bracket.h"

#include <algorithm>
#include <string_view>

#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr std::string_view phase_letters = "ose";  // in the order of Phase

}  // namespace

StopBracket::StopBracket(const AsyncHalvingSearch& search, bool replaces_invalid)
    : search_(search),
      replaces_invalid_(replaces_invalid),
      ladder_(rung_units(search.num_rungs, search.divisor, search.max_time), search.divisor) {}

BracketMoves StopBracket::start() {
  BracketMoves moves;
  const int trials = concurrent_trials(search_);
  for (int i = 0; i < trials; ++i) create(moves);
  return moves;
}

StopBracket::Phase& StopBracket::phase(int trial) {
  VERIFY(trial >= 0 && trial < trials(), "no trial ", trial);
  return phases_[static_cast<std::size_t>(trial)];
}

void StopBracket::create(BracketMoves& moves) {
  ladder_.add_trial();
  phases_.push_back(Phase::open);
  ++open_;
  ++moves.creates;
}

void StopBracket::leave(int trial, Phase now) {
  if (phase(trial) == Phase::open) --open_;
  phase(trial) = now;
}

// One event frees one place at most, so it makes one trial at most.
void StopBracket::replace(BracketMoves& moves) {
  const bool place_free = open_ < concurrent_trials(search_);
  if (place_free && trials() - invalid_ < search_.max_trials) create(moves);
}

BracketMoves StopBracket::reported(int trial, std::int64_t time, double metric) {
  BracketMoves moves;
  if (phase(trial) != Phase::open) return moves;
  if (ladder_.judge(trial, time, metric) == RungLadder::Verdict::go_on) return moves;
  leave(trial, Phase::stopped);
  moves.stops.push_back(trial);
  replace(moves);
  return moves;
}

BracketMoves StopBracket::exited_early(int trial, ExitReason reason) {
  BracketMoves moves;
  if (phase(trial) == Phase::ended) return moves;
  switch (reason) {
    case ExitReason::invalid_hp:
      ladder_.remove(trial);
      if (replaces_invalid_) ++invalid_;
      moves.stops.push_back(trial);
      break;
    case ExitReason::errored:
    case ExitReason::user_cancelled: ladder_.fail(trial); break;
    case ExitReason::completed: break;  // its own end, before the top: what it reported stands
  }
  leave(trial, Phase::ended);
  replace(moves);
  return moves;
}

void StopBracket::exited(int trial) {
  ++exited_;
  if (phase(trial) == Phase::open) leave(trial, Phase::stopped);
}

// Determined's: a fifth is kept in reserve for trials that still train when all have started.
double StopBracket::progress() const {
  const auto judged = static_cast<double>(ladder_.rungs().front().entries.size());
  const double max_trials = search_.max_trials;
  double progress = judged / (1.2 * max_trials);
  if (judged == max_trials) progress = std::max(progress, (exited_ - invalid_) / max_trials);
  return std::clamp(progress, 0.0, 1.0);
}

std::vector<RungState> StopBracket::rungs() const {
  std::vector<RungState> states;
  for (const Rung& rung : ladder_.rungs()) {
    const int level = static_cast<int>(states.size());
    const bool top = &rung == &ladder_.rungs().back();
    RungState state = state_of(rung);
    for (const RungEntry& entry : rung.entries.list()) {
      const bool went_on = ladder_.rung_of(entry.trial) > level;
      state.continued += went_on ? 1 : 0;
      state.stopped += !went_on && (!top || entry.metric == worst_metric) ? 1 : 0;
    }
    states.push_back(state);
  }
  return states;
}

Value StopBracket::snapshot() const {
  std::string phases;  // "oos…": a letter a trial
  for (const Phase one : phases_) phases += phase_letters[static_cast<std::size_t>(one)];
  return Value::Object{{"exited", exited_},
                       {"invalid", invalid_},
                       {"ladder", ladder_.snapshot()},
                       {"phases", std::move(phases)}};
}

Status StopBracket::restore(const Value& snapshot) {
  StopBracket restored = *this;
  restored.exited_ = TRY(snapshot_int(snapshot, "exited"));
  restored.invalid_ = TRY(snapshot_int(snapshot, "invalid"));
  TRY(restored.ladder_.restore(snapshot["ladder"]));
  restored.phases_.clear();
  restored.open_ = 0;
  for (const char letter : TRY(snapshot_text(snapshot, "phases"))) {
    const std::size_t number = phase_letters.find(letter);
    if (number == std::string_view::npos) {
      return data_loss("searcher snapshot: '", letter, "' in 'phases' is none of ", phase_letters);
    }
    restored.phases_.push_back(static_cast<Phase>(number));
    if (restored.phases_.back() == Phase::open) ++restored.open_;
  }
  if (restored.ladder_.trials() != restored.trials()) {
    return data_loss("searcher snapshot: ", restored.trials(), " trials in 'phases', ",
                     restored.ladder_.trials(), " on the rungs");
  }
  *this = std::move(restored);
  return {};
}

}  // namespace dt::core
