// Which bracket asked for which trial: trials are numbered in the search and in their bracket.
// One thread.
#pragma once

#include <vector>

#include "core/search/bracket.h"
#include "core/search/sampler.h"

namespace dt::core {

class BracketTrials {
 public:
  struct Member {
    int bracket = 0;
    int trial = 0;  // its number in the bracket
  };

  const Member& member(SearchTrial trial) const;
  int trials_of(int bracket) const;
  int size() const { return static_cast<int>(members_.size()); }

  // What the moves of a bracket mean to the search; the trials that it wants are made.
  void perform(int bracket, const BracketMoves& moves, TrialMaker& maker,
               SearchOperations& operations);

  Value snapshot() const;
  Status restore(const Value& snapshot, int brackets);

 private:
  void add(int bracket);
  SearchTrial in_search(int bracket, int trial) const;

  std::vector<Member> members_;                   // by trial
  std::vector<std::vector<SearchTrial>> trials_;  // by bracket and the number in it
};

}  // namespace dt::core
