// The stop rule of asynchronous halving, as Determined has it. A trial climbs a ladder of rungs;
// where a report reaches a rung's units, its metric is inserted there, and the trial goes on only
// when it is among the best 1/divisor of the rung so far (at least the best one). Equal metrics: a
// later one counts as the better. The worst value never goes on. Metrics here are “judged”: finite,
// smaller is better. One thread; a pure function of the calls in their order.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/search/method.h"
#include "core/search/ranking.h"

namespace dt::core {

inline constexpr double worst_metric = std::numeric_limits<double>::max();

// The sign flipped where larger is better; NaN is the worst value, an infinity the nearest number.
double judged_metric(double metric, bool smaller_is_better);

// max(floor(max_time / divisor^(rungs - 1 - i)), 1) for each rung i.
std::vector<std::int64_t> rung_units(int rungs, double divisor, std::int64_t max_time);

// The highest of the rungs that `time` reaches; 0 when none.
std::int64_t units_reached(const std::vector<std::int64_t>& units, std::int64_t time);

// How many of `trials` in one rung may go on.
std::int64_t trials_going_on(std::int64_t trials, double divisor);

struct Rung {
  std::int64_t units = 0;
  Ranking entries;
};

// Its units, its trials and the best of them; who went on is for its owner to say.
RungState state_of(const Rung& rung);

// The trials and metrics of a rung's snapshot, ascending, appended to `rung`.
Value snapshot_of(const Rung& rung);
Status restore_rung(const Value& snapshot, int trials, Rung& rung);

class RungLadder {
 public:
  RungLadder(std::vector<std::int64_t> units, double divisor);

  void add_trial();  // the next number, on the lowest rung
  enum class Verdict { go_on, stop };
  Verdict judge(SearchTrial trial, std::int64_t time, double metric);  // may pass several rungs
  // A crash: the worst value on the rung it was working on, unless it has a metric there already.
  void fail(SearchTrial trial);
  void remove(SearchTrial trial);  // its metrics, from every rung

  const std::vector<Rung>& rungs() const { return rungs_; }
  int rung_of(SearchTrial trial) const;
  int trials() const { return static_cast<int>(climbers_.size()); }

  Value snapshot() const;
  Status restore(const Value& snapshot);

 private:
  struct Climber {
    int rung = 0;                                // being worked on
    std::vector<std::optional<double>> metrics;  // by rung

    bool has_metric(std::size_t level) const { return level < metrics.size() && metrics[level]; }
    void set_metric(std::size_t level, double metric);
  };

  Climber& climber(SearchTrial trial);
  static Status place_on_rung(const Rung& rung, std::vector<Climber>& climbers, std::size_t level);

  std::vector<Rung> rungs_;
  double divisor_;
  std::vector<Climber> climbers_;
};

}  // namespace dt::core
