#include "core/search/adaptive_asha.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/cat.h"
#include "base/status.h"

namespace dt::core {

namespace {

std::vector<int> bracket_rungs(const AdaptiveAshaSearch& search) {
  if (!search.bracket_rungs.empty()) {
    std::vector<int> rungs = search.bracket_rungs;
    std::sort(rungs.begin(), rungs.end(), std::greater<>());
    // Each bracket has a trial at least, and the limit holds.
    if (rungs.size() > static_cast<std::size_t>(search.max_trials)) {
      rungs.resize(static_cast<std::size_t>(search.max_trials));
    }
    return rungs;
  }
  const auto max_time = static_cast<double>(search.max_time);
  const int most = std::min({search.max_rungs, floor_log(max_time, search.divisor) + 1,
                             floor_log(search.max_trials, search.divisor) + 1});
  int least = most;
  if (search.mode == AdaptiveAshaSearch::Mode::conservative) least = 1;
  if (search.mode == AdaptiveAshaSearch::Mode::standard) least = (most - 1) / 2 + 1;
  std::vector<int> rungs;
  for (int count = most; count >= least; --count) rungs.push_back(count);
  return rungs;
}

// Each bracket has one trial at least, which may be more than the limit in all; the first brackets
// have the most to give.
void keep_limit(int max_trials, std::vector<int>& trials) {
  int over = std::accumulate(trials.begin(), trials.end(), -max_trials);
  for (int& of_one : trials) {
    const int given = std::clamp(over, 0, of_one - 1);
    of_one -= given;
    over -= given;
  }
}

}  // namespace

int floor_log(double value, double base) {
  return static_cast<int>(std::log(value) / std::log(base));
}

std::vector<int> bracket_trials(int max_trials, double divisor, const std::vector<int>& rungs) {
  std::vector<double> weights;
  double sum = 0;
  for (const int count : rungs) {
    weights.push_back(std::pow(divisor, count - 1) / count);
    sum += weights.back();
  }
  std::vector<int> trials;
  int left = max_trials;
  for (const double weight : weights) {
    trials.push_back(std::max(static_cast<int>(weight / sum * max_trials), 1));
    left -= trials.back();
  }
  trials.front() += std::max(left, 0);
  return trials;
}

std::vector<int> bracket_concurrency(int max_concurrent_trials, double divisor,
                                     const std::vector<int>& trials) {
  const int brackets = static_cast<int>(trials.size());
  if (max_concurrent_trials == 0) {
    const int each = std::max(trials.back(), static_cast<int>(divisor));
    return std::vector<int>(trials.size(), each);
  }
  const int together = std::max(max_concurrent_trials, brackets);
  std::vector<int> concurrency(trials.size(), together / brackets);
  for (int i = 0; i < together % brackets; ++i) ++concurrency[static_cast<std::size_t>(i)];
  return concurrency;
}

std::vector<AsyncHalvingSearch> adaptive_brackets(const AdaptiveAshaSearch& search) {
  const std::vector<int> rungs = bracket_rungs(search);
  VERIFY(!rungs.empty(), "adaptive_asha of ", search.max_trials, " trials has no bracket");
  std::vector<int> trials = bracket_trials(search.max_trials, search.divisor, rungs);
  keep_limit(search.max_trials, trials);
  const std::vector<int> concurrency =
      bracket_concurrency(search.max_concurrent_trials, search.divisor, trials);
  std::vector<AsyncHalvingSearch> brackets;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    brackets.push_back({.num_rungs = rungs[i],
                        .max_trials = trials[i],
                        .divisor = search.divisor,
                        .max_concurrent_trials = concurrency[i],
                        .time_metric = search.time_metric,
                        .max_time = search.max_time,
                        .promote = search.promote});
  }
  return brackets;
}

}  // namespace dt::core
