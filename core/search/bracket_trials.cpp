#include "core/search/bracket_trials.h"

#include "core/search/snapshot.h"

namespace dt::core {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

}  // namespace

const BracketTrials::Member& BracketTrials::member(SearchTrial trial) const {
  VERIFY(trial >= 0 && trial < size(), "no trial ", trial);
  return members_[index_of(trial)];
}

int BracketTrials::trials_of(int bracket) const {
  if (index_of(bracket) >= trials_.size()) return 0;
  return static_cast<int>(trials_[index_of(bracket)].size());
}

SearchTrial BracketTrials::in_search(int bracket, int trial) const {
  return trials_.at(index_of(bracket)).at(index_of(trial));
}

void BracketTrials::add(int bracket) {
  if (index_of(bracket) >= trials_.size()) trials_.resize(index_of(bracket) + 1);
  std::vector<SearchTrial>& trials = trials_[index_of(bracket)];
  trials.push_back(size());
  members_.push_back({.bracket = bracket, .trial = static_cast<int>(trials.size()) - 1});
}

void BracketTrials::perform(int bracket, const BracketMoves& moves, TrialMaker& maker,
                            SearchOperations& operations) {
  for (const int trial : moves.stops) operations.push_back(StopTrial{in_search(bracket, trial)});
  for (const int trial : moves.pauses) operations.push_back(PauseTrial{in_search(bracket, trial)});
  for (const int trial : moves.resumes) {
    operations.push_back(ResumeTrial{in_search(bracket, trial)});
  }
  for (int i = 0; i < moves.creates; ++i) {
    add(bracket);
    operations.push_back(maker.sampled());
  }
}

Value BracketTrials::snapshot() const {
  std::vector<int> bracket_of;  // each trial
  for (const Member& one : members_) bracket_of.push_back(one.bracket);
  return snapshot_of(bracket_of);
}

Status BracketTrials::restore(const Value& snapshot, int brackets) {
  members_.clear();
  trials_.clear();
  for (const int bracket : TRY(snapshot_ints(snapshot, "bracket_of", 0, brackets - 1))) {
    add(bracket);
  }
  return {};
}

}  // namespace dt::core
