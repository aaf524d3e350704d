// Pause-and-promote ASHA: Li et al., “A System for Massively Parallel Hyperparameter Tuning”
// (2020), algorithm 2. A trial that reaches a rung and is among its best 1/divisor goes on. Another
// one is paused and may be promoted later, so nothing is lost by an early bad comparison. Its place
// is given to the best job there is: a paused trial that is now among the best of its rung, on the
// highest rung that has one, else a new sample. How good a trial must be to be resumed:
// resumable().
//
// In a large search the first trials are scouts: they train to the second rung before they are
// judged on the first, and show whether the first tells anything (rung_evidence.h). While it is
// doubted, every trial passes it.
//
// Values reported after the pause decision are kept and judged, in step order, when the trial is
// promoted; one that has ended with 0 by then is judged by them and starts nothing. Ties break by
// the trial's number. The worst value is never promoted. At the end, when all trials were made and
// none trains, the best of a rung goes on where nobody has reached the rung above, so that one
// trial is trained in full; then the paused ones are stopped.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "core/search/bracket.h"
#include "core/search/rung_evidence.h"
#include "core/search/rungs.h"

namespace dt::core {

class PromoteBracket : public Bracket {
 public:
  // together: a rung is decided when all that can reach it have (successive halving proper).
  enum class Rule { each_at_once, together };
  PromoteBracket(const AsyncHalvingSearch& search, bool replaces_invalid,
                 Rule rule = Rule::each_at_once);

  // How many may train at a time, where that is not the search's own limit.
  void set_places(int places) { places_ = places; }
  int open() const;  // that train
  // Whether nothing will ever come of it any more.
  bool is_over() const;
  BracketMoves fill();

  BracketMoves start() override;
  BracketMoves reported(int trial, std::int64_t time, double metric) override;
  BracketMoves exited_early(int trial, ExitReason reason) override;
  void exited(int trial) override;
  double progress() const override;
  std::vector<RungState> rungs() const override;
  int trials() const override { return static_cast<int>(climbers_.size()); }
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  // open: may train · paused: at a rung · complete: ended with 0 while paused there · over
  enum class Phase { open, paused, complete, over };
  struct Report {
    std::int64_t time = 0;
    double metric = 0;
  };
  struct Climber {
    Phase phase = Phase::open;
    int rung = 0;                 // worked on, or paused at
    std::vector<double> metrics;  // of the rungs reached
    std::vector<Report> kept;     // may be judged on the next rung; by time

    bool has_metric() const { return static_cast<int>(metrics.size()) > rung; }
  };
  using Waiting = std::set<std::pair<double, int>>;  // to be promoted: metric, trial

  Climber& climber(int trial);
  bool is_top(int rung) const { return rung + 1 == static_cast<int>(rungs_.size()); }
  bool may_create() const;
  bool is_scout(int trial) const;
  bool is_scouting(int trial) const;
  void scouted(int trial);
  bool passes_all(int rung) const { return rung == 0 && evidence_.doubts_first(); }
  bool is_among(int rung, std::int64_t best, const RungEntry& entry) const;
  const Report* first_kept(int trial, int rung) const;
  bool first_is_among(int rung, std::int64_t best) const;
  std::int64_t best_share(int rung, double share) const;
  std::int64_t resumable(int rung) const;
  std::optional<int> next_promotion() const;
  std::optional<int> next_together() const;
  std::optional<int> last_promotion() const;

  void create(BracketMoves& moves);
  void keep(int trial, const Report& report);
  bool reach(int trial);
  void rest(int trial, BracketMoves& moves);
  void promote(int trial, BracketMoves& moves);
  void go_on(int trial, BracketMoves& moves);
  void leave(int trial);
  void forget_metrics(int trial);
  void fill(BracketMoves& moves);
  int& working(int rung) { return working_[static_cast<std::size_t>(rung)]; }
  void stop_waiting(BracketMoves& moves);
  Status restore_kept(const Value& snapshot);
  Status restore_places();

  AsyncHalvingSearch search_;
  bool replaces_invalid_;
  Rule rule_;
  int places_;
  std::vector<Rung> rungs_;
  std::vector<Waiting> waiting_;  // by rung
  std::vector<Climber> climbers_;
  std::vector<int> working_;   // trials that train, by rung
  std::vector<int> promoted_;  // trials that went on from it, by rung
  RungEvidence evidence_;
  int exited_ = 0;
  int invalid_ = 0;
};

}  // namespace dt::core
