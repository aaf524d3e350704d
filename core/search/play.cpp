#include "core/search/play.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/overload.h"

namespace dt::core {
namespace {

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product);
  return overflow ? std::numeric_limits<std::int64_t>::max() : product;
}

// The n-th of 1/2, 1/4, 3/4, 1/8, 5/8, … (van der Corput).
double evenly_spread(SearchTrial trial) {
  double value = 0;
  double part = 0.5;
  for (auto bits = static_cast<std::uint32_t>(trial) + 1; bits > 0; bits >>= 1, part /= 2) {
    if (bits & 1) value += part;
  }
  return value;
}

class Player {
 public:
  Player(const ExperimentConfig& config, const PlayLimits& limits)
      : searcher_(config.searcher, config.hyperparameters, config.seed),
        smaller_is_better_(config.searcher.smaller_is_better),
        limits_(limits) {
    for (const RungState& rung : searcher_.rungs()) ends_.insert(rung.units);
  }

  SearchPlay play() {
    hear(searcher_.start(), 0);
    played_.concurrent = searcher_.trials_requested();
    while (!due_.empty() && !is_enough()) train_next();
    played_.trials = searcher_.trials_wanted();
    played_.trials_played = started_;
    played_.rungs = searcher_.rungs();
    return std::move(played_);
  }

 private:
  // Where a trial is when it next has something to say. All train alike fast.
  struct Stop {
    std::int64_t at = 0;  // of the play's clock
    SearchTrial trial = 0;
    std::int64_t units = 0;  // of the trial
    auto operator<=>(const Stop&) const = default;
  };

  // Without rungs trials differ in nothing but their hyperparameters.
  bool is_enough() const {
    return ends_.empty() && played_.first_hparams.size() >= limits_.first_hparams;
  }

  void hear(const SearchOperations& operations, std::int64_t now) {
    for (const SearchOperation& operation : operations) {
      std::visit(Overload{[&](const CreateTrial& create) { begin(create, now); },
                          [&](const StopTrial& stop) { end_if_paused(stop.trial, now); },
                          [](const PauseTrial&) {},
                          [&](const ResumeTrial& resume) { go_on(resume.trial, now); },
                          [](const Shutdown&) {}},
                 operation);
    }
  }

  void begin(const CreateTrial& create, std::int64_t now) {
    if (played_.first_hparams.size() < limits_.first_hparams) {
      played_.first_hparams.push_back(create.hparams);
    }
    if (started_ >= limits_.trials) return;
    ++started_;
    train_on(create.trial, now, 0);
  }

  void go_on(SearchTrial trial, std::int64_t now) {
    const auto paused = paused_.extract(trial);
    if (!paused.empty()) train_on(trial, now, paused.mapped());
  }

  void end_if_paused(SearchTrial trial, std::int64_t now) {
    const auto paused = paused_.extract(trial);
    if (!paused.empty()) end(trial, paused.mapped(), now);
  }

  void end(SearchTrial trial, std::int64_t units, std::int64_t now) {
    played_.units = saturating_sum(played_.units, units);
    hear(searcher_.trial_exited(trial, ExitReason::completed), now);
  }

  void train_on(SearchTrial trial, std::int64_t now, std::int64_t from) {
    const auto next = ends_.upper_bound(from);
    const std::int64_t to = next == ends_.end() ? from + 1 : *next;
    due_.insert({.at = saturating_sum(now, to - from), .trial = trial, .units = to});
  }

  void train_next() {
    const Stop stop = *due_.begin();
    due_.erase(due_.begin());
    const double value = evenly_spread(stop.trial);
    const SearchOperations said = searcher_.validation_completed(
        {.trial = stop.trial, .metric = smaller_is_better_ ? value : -value, .time = stop.units});
    const bool pauses = searcher_.is_paused(stop.trial);
    const bool ends = ends_.empty() || searcher_.is_stopped(stop.trial);
    if (pauses && !ends) paused_.emplace(stop.trial, stop.units);
    hear(said, stop.at);
    if (ends) return end(stop.trial, stop.units, stop.at);
    if (!pauses) train_on(stop.trial, stop.at, stop.units);
  }

  Searcher searcher_;
  bool smaller_is_better_;
  PlayLimits limits_;
  std::set<std::int64_t> ends_;  // units of the rungs
  std::set<Stop> due_;
  std::map<SearchTrial, std::int64_t> paused_;  // at so many units
  std::int64_t started_ = 0;
  SearchPlay played_;
};

}  // namespace

SearchPlay play_search(const ExperimentConfig& config, std::int64_t length,
                       const PlayLimits& limits) {
  SearchPlay played = Player(config, limits).play();
  if (!played.rungs.empty()) return played;
  played.trials_played = played.trials;  // one is like the other
  played.units = saturating_product(played.trials, length);
  return played;
}

}  // namespace dt::core
