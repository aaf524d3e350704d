#include "core/search/async_halving.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr std::string_view phase_letters = "ose";  // in the order of Phase

}  // namespace

AsyncHalvingMethod::AsyncHalvingMethod(const AsyncHalvingSearch& search, bool smaller_is_better,
                                       const HyperparameterSpace& space, std::uint32_t seed)
    : search_(search),
      smaller_is_better_(smaller_is_better),
      maker_(space, seed),
      ladder_(rung_units(search.num_rungs, search.divisor, search.max_time), search.divisor) {}

// Without a limit, as many as let one trial reach the top.
int AsyncHalvingMethod::concurrent_trials() const {
  if (search_.max_concurrent_trials > 0) {
    return std::min(search_.max_concurrent_trials, search_.max_trials);
  }
  const double enough = std::floor(std::pow(search_.divisor, search_.num_rungs - 1));
  return static_cast<int>(std::clamp(enough, 1.0, static_cast<double>(search_.max_trials)));
}

SearchOperations AsyncHalvingMethod::initial_trials() {
  SearchOperations operations;
  const int trials = concurrent_trials();
  for (int i = 0; i < trials; ++i) operations.push_back(create());
  return operations;
}

AsyncHalvingMethod::Phase& AsyncHalvingMethod::phase(SearchTrial trial) {
  VERIFY(trial >= 0 && trial < maker_.created(), "no trial ", trial);
  return phases_[static_cast<std::size_t>(trial)];
}

CreateTrial AsyncHalvingMethod::create() {
  ladder_.add_trial();
  phases_.push_back(Phase::open);
  ++open_;
  return maker_.sampled();
}

void AsyncHalvingMethod::leave(SearchTrial trial, Phase now) {
  if (phase(trial) == Phase::open) --open_;
  phase(trial) = now;
}

// One event frees one place at most, so it makes one trial at most.
void AsyncHalvingMethod::replace(SearchOperations& operations) {
  const bool place_free = open_ < concurrent_trials();
  if (place_free && maker_.created() - invalid_ < search_.max_trials) {
    operations.push_back(create());
  }
}

SearchOperations AsyncHalvingMethod::validation_completed(const ValidationReport& report) {
  if (phase(report.trial) != Phase::open) return {};
  const double metric = judged_metric(report.metric, smaller_is_better_);
  if (ladder_.judge(report.trial, report.time, metric) == RungLadder::Verdict::go_on) return {};
  leave(report.trial, Phase::stopped);
  SearchOperations operations{StopTrial{report.trial}};
  replace(operations);
  return operations;
}

SearchOperations AsyncHalvingMethod::trial_exited_early(SearchTrial trial, ExitReason reason) {
  if (phase(trial) == Phase::ended) return {};
  SearchOperations operations;
  switch (reason) {
    case ExitReason::invalid_hp:
      ladder_.remove(trial);
      // In a space of constants the replacement would be the same trial, invalid again, for ever.
      if (maker_.can_vary()) ++invalid_;
      operations.push_back(StopTrial{trial});
      break;
    case ExitReason::errored:
    case ExitReason::user_cancelled: ladder_.fail(trial); break;
    case ExitReason::completed: break;  // its own end, before the top: what it reported stands
  }
  leave(trial, Phase::ended);
  replace(operations);
  return operations;
}

SearchOperations AsyncHalvingMethod::trial_exited(SearchTrial trial) {
  ++exited_;
  if (phase(trial) == Phase::open) leave(trial, Phase::stopped);
  return {};
}

// Determined's: a fifth is kept in reserve for trials that still train when all have started.
double AsyncHalvingMethod::progress(const std::vector<double>&) const {
  const auto judged = static_cast<double>(ladder_.rungs().front().entries.size());
  const double max_trials = search_.max_trials;
  double progress = judged / (1.2 * max_trials);
  if (judged == max_trials) progress = std::max(progress, (exited_ - invalid_) / max_trials);
  return std::clamp(progress, 0.0, 1.0);
}

Value AsyncHalvingMethod::snapshot() const {
  std::string phases;  // "oos…": a letter a trial
  for (const Phase one : phases_) phases += phase_letters[static_cast<std::size_t>(one)];
  return Value::Object{{"exited", exited_},
                       {"invalid", invalid_},
                       {"ladder", ladder_.snapshot()},
                       {"maker", maker_.snapshot()},
                       {"phases", std::move(phases)}};
}

Status AsyncHalvingMethod::restore(const Value& snapshot) {
  AsyncHalvingMethod restored = *this;
  restored.exited_ = TRY(snapshot_int(snapshot, "exited"));
  restored.invalid_ = TRY(snapshot_int(snapshot, "invalid"));
  TRY(restored.ladder_.restore(snapshot["ladder"]));
  TRY(restored.maker_.restore(snapshot["maker"]));
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
  const int trials = static_cast<int>(restored.phases_.size());
  if (restored.ladder_.trials() != trials || restored.maker_.created() != trials) {
    return data_loss("searcher snapshot: ", trials, " trials in 'phases', ",
                     restored.maker_.created(), " made and ", restored.ladder_.trials(),
                     " on the rungs");
  }
  *this = std::move(restored);
  return {};
}

}  // namespace dt::core
