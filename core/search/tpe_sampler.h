// The tree-structured Parzen estimator, multivariate: Bergstra et al., “Algorithms for
// Hyper-Parameter Optimization” (2011), with the joint kernels of BOHB (Falkner et al. 2018) and
// the bandwidths of Optuna's multivariate TPE. The best tenth of the trials (25 at most) makes one
// density, all others another; of 24 points drawn from the first, the one with the greatest ratio
// of both is proposed. Trials that run and have reported nothing, that diverged or crashed count
// among the others, so parallel proposals keep away from each other. Trials that got farther come
// first, then those with the better metric. log parameters are modelled by their exponents.
//
// The cost of a proposal does not grow without bound: of the others a thousand, evenly spread, make
// the density. All chance comes from the given stream; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/numpy_random.h"
#include "core/model/hyperparameters.h"
#include "core/search/ranking.h"

namespace dt::core {

class TpeSampler {
 public:
  explicit TpeSampler(HyperparameterSpace space);

  // The point of the next trial, 0, 1, ….
  Value propose(NumpyRandom& random);
  void observe(SearchTrial trial, std::int64_t level, double metric);  // a higher level counts more
  void fail(SearchTrial trial);
  // Of an earlier search; a point that is not of this space tells nothing. Not in the snapshot.
  void learn(const Value& hparams, double metric);

  Value snapshot() const;
  Status restore(const Value& snapshot, int trials);

 private:
  using Point = std::vector<double>;  // a coordinate an axis
  struct Trial {
    Point point;
    std::optional<std::int64_t> level;  // none: nothing was reported
    double metric = 0;
  };
  struct Groups {
    std::vector<const Point*> good;
    std::vector<const Point*> others;
  };

  int observed() const {
    return static_cast<int>(trials_.size() - pending_.size() + earlier_.size());
  }
  const Point& point_of(SearchTrial trial) const;
  void place(SearchTrial trial, std::int64_t level, double metric);
  Groups groups() const;
  Point draw(NumpyRandom& random) const;

  HyperparameterSpace space_;
  std::vector<Trial> trials_;
  std::vector<Point> earlier_;  // ranked as the trials -1, -2, …
  std::map<std::int64_t, Ranking, std::greater<>> levels_;
  std::set<SearchTrial> pending_;  // without a report
};

}  // namespace dt::core
