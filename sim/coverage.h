// Which faults struck what: a count for each kind of fault and each state of a trial's life, over
// all seeds of a run. A cell that few seeds reach is a promise that nobody checks, so `dt-sim run`
// prints the table, and unreachable.h lists the cells that cannot be reached, each with its reason.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>

#include "core/master/rows.h"
#include "sim/options.h"

namespace dt::sim {

// Of an attempt; the first two of a trial that has none.
enum class LifeState {
  queued,
  paused,
  preparing,
  starting,
  running,
  preempting,
  stopping,
  killing,
  settling
};
inline constexpr int life_states = 9;
const char* to_text(LifeState state);

LifeState state_of(const core::AllocationRow& allocation);  // not of one that has ended

class Coverage {
 public:
  void hit(Fault fault, LifeState state) { ++cell(fault, state); }
  std::int64_t hits(Fault fault, LifeState state) const;
  void add(const Coverage& other);

  void print(std::ostream& out) const;
  // Cells that are listed as unreachable and were hit, or are not and were hit less than `least`
  // times, one line each; their number.
  int complain(std::int64_t least, std::ostream& out) const;

 private:
  std::int64_t& cell(Fault fault, LifeState state) {
    return cells_[static_cast<std::size_t>(fault)][static_cast<std::size_t>(state)];
  }

  std::array<std::array<std::int64_t, life_states>, fault_kinds> cells_{};
};

}  // namespace dt::sim
