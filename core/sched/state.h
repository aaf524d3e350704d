// What of a node decides whether and how well something fits on it, what of a request does, and the
// answer. Private to core/sched.
#pragma once

#include <algorithm>
#include <compare>
#include <vector>

#include "core/sched/request.h"

namespace dt::core {

struct NodeState {
  int slots = 0;
  int whole = 0;            // wholly free slots
  std::vector<int> shared;  // thousandths free of each slot that is held in parts
  int max_zero_slot = 0;
  int zero_slot = 0;
  int cpu_milli = 0;
  int memory_mib = 0;
  int model = 0;  // Nodes' number for it; 0: not known
  auto operator<=>(const NodeState&) const = default;

  bool idle() const { return slots > 0 && whole == slots; }  // zero-slot tasks do not count
  int free_milli() const {
    int sum = whole * whole_slot;
    for (const int milli : shared) sum += milli;
    return sum;
  }
};

struct Shape {
  int slots = 1;
  int slot_milli = whole_slot;
  int cpu_milli = 0;
  int memory_mib = 0;
  bool single_node = false;
  std::vector<int> models;  // sorted; empty: any
  auto operator<=>(const Shape&) const = default;

  bool accepts(int model) const {
    return models.empty() || std::binary_search(models.begin(), models.end(), model);
  }
  bool is_part() const { return slots == 1 && slot_milli < whole_slot; }
};

struct Fit {
  enum class Kind : signed char { unknown, none, fits };
  Kind kind = Kind::unknown;
  int share = -1;    // for a part of a slot: what the chosen shared slot has free; -1: a whole slot
  double score = 0;  // higher is better
};

// What is free, slots and CPU weighed alike; best fit wants little of it left. The weights are
// those of a large node.
inline double leftover(const NodeState& node) {
  constexpr double many_slots_milli = 8000;
  constexpr double many_cpu_milli = 128'000;
  return node.free_milli() / many_slots_milli + node.cpu_milli / many_cpu_milli;
}

// Does all of it fit on one node in this state?
inline bool holds(const NodeState& node, const Shape& shape) {
  if (!shape.accepts(node.model)) return false;
  if (shape.cpu_milli > node.cpu_milli && shape.cpu_milli > 0) return false;
  if (shape.memory_mib > node.memory_mib && shape.memory_mib > 0) return false;
  if (shape.slots == 0) return node.zero_slot < node.max_zero_slot;
  if (!shape.is_part()) return node.whole >= shape.slots;
  return node.whole > 0 || (!node.shared.empty() && node.shared.front() >= shape.slot_milli);
}

}  // namespace dt::core
