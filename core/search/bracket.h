// One bracket of a halving search: it decides by its rungs which of its trials go on, and how many
// new ones it wants. It numbers its trials itself, 0, 1, … as it asks for them, and makes none: its
// owner does, and knows each by its number in the search too. Metrics are judged (rungs.h).
// Deterministic; one thread.
#pragma once

#include <memory>
#include <vector>

#include "core/search/method.h"

namespace dt::core {

struct BracketMoves {
  std::vector<int> stops;
  std::vector<int> pauses;
  std::vector<int> resumes;
  int creates = 0;  // of the next numbers
};

class Bracket {
 public:
  virtual ~Bracket() = default;
  virtual BracketMoves start() = 0;
  virtual BracketMoves reported(int trial, std::int64_t time, double metric) = 0;
  // As of SearchMethod: told before the searcher stopped it, and the last word of every trial.
  virtual BracketMoves exited_early(int trial, ExitReason reason) = 0;
  virtual void exited(int trial) = 0;
  virtual double progress() const = 0;
  virtual std::vector<RungState> rungs() const = 0;  // the best as judged
  virtual int trials() const = 0;
  virtual Value snapshot() const = 0;
  virtual Status restore(const Value& snapshot) = 0;
};

// Without a limit, as many at a time as let one trial reach the top.
int concurrent_trials(const AsyncHalvingSearch& search);

// `replaces_invalid`: false in a space of constants, where the replacement would be the same trial,
// invalid again, for ever.
std::unique_ptr<Bracket> make_bracket(const AsyncHalvingSearch& search, bool replaces_invalid);

}  // namespace dt::core
