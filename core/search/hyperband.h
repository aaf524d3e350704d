// Hyperband: Li et al., “Hyperband: A Novel Bandit-Based Approach to Hyperparameter Optimization”
// (2018), on several workers as HpBandSter runs it. Brackets of successive halving, from the one
// that stops earliest to the one that stops nobody, again and again until max_trials were made. A
// rung is decided when every trial that can reach it has; the others wait, paused. A place that the
// older brackets have no job for goes to the next bracket, so nobody idles. With the sampler tpe
// this is BOHB.
#pragma once

#include "core/search/bracket_trials.h"
#include "core/search/promote_bracket.h"

namespace dt::core {

// One after another; the last is cut so that there are max_trials in all.
std::vector<AsyncHalvingSearch> hyperband_brackets(const HyperbandSearch& search);

class HyperbandMethod : public SearchMethod {
 public:
  HyperbandMethod(const HyperbandSearch& search, bool smaller_is_better, TrialMaker maker);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  double progress(double trials_done) const override;
  // Brackets of the same shape are told together.
  std::vector<RungState> rungs() const override;
  std::int64_t trials_wanted() const override { return search_.max_trials; }
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  PromoteBracket& without_places(int bracket);  // it says what happens, and starts nothing
  int free_places() const;
  void begin_bracket();
  void fill(SearchOperations& operations);
  static void drop_needless_pause(SearchTrial trial, SearchOperations& operations);
  void perform(int bracket, const BracketMoves& moves, SearchOperations& operations);

  HyperbandSearch search_;
  bool smaller_is_better_;
  TrialMaker maker_;
  std::vector<AsyncHalvingSearch> plan_;
  std::vector<PromoteBracket> brackets_;  // begun
  int first_ = 0;                         // all before it are over
  int open_ = 0;                          // trials that train
  BracketTrials trials_;
};

}  // namespace dt::core
