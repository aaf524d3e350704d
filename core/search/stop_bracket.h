// ASHA by the stop rule (rungs.h), Determined's variant of Li et al., “A System for Massively
// Parallel Hyperparameter Tuning” (2020): trials start at once, weak ones are stopped at a rung,
// and each trial that ends makes room for one new sample until max_trials valid trials were made.
// Trials going at a time never exceed the initial number. A trial with invalid hyperparameters
// leaves the rungs and is replaced; a crash counts as the worst value.
#pragma once

#include "core/search/bracket.h"
#include "core/search/rungs.h"

namespace dt::core {

class StopBracket : public Bracket {
 public:
  StopBracket(const AsyncHalvingSearch& search, bool replaces_invalid);

  BracketMoves start() override;
  BracketMoves reported(int trial, std::int64_t time, double metric) override;
  BracketMoves exited_early(int trial, ExitReason reason) override;
  void exited(int trial) override;
  double progress() const override;
  std::vector<RungState> rungs() const override;
  int trials() const override { return static_cast<int>(phases_.size()); }
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  // open: may train · stopped: told to, or over · ended: told its end itself
  enum class Phase { open, stopped, ended };

  Phase& phase(int trial);
  void leave(int trial, Phase now);
  void create(BracketMoves& moves);
  void replace(BracketMoves& moves);

  AsyncHalvingSearch search_;
  bool replaces_invalid_;
  RungLadder ladder_;
  std::vector<Phase> phases_;  // by trial
  int open_ = 0;
  int exited_ = 0;
  int invalid_ = 0;
};

}  // namespace dt::core
