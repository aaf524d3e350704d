// Fragmentation as Weng et al. define it (“Beware of Fragmentation”, USENIX ATC 2023): the part of
// a node's free slots that a request drawn from the typical ones could not use there, for want of
// slots, of slot parts, of CPU or of the right model. A placement that raises it least keeps most
// of the pool usable. The tables are built once, so that one look at a node costs the number of
// distinct slot counts and not of requests.
#pragma once

#include <utility>
#include <vector>

#include "core/sched/state.h"

namespace dt::core {

class Workload {
 public:
  Workload() = default;
  // How often each shape is asked for; `models` numbers are below `models`. Rare shapes, the last
  // twentieth in all, are left out.
  Workload(std::vector<std::pair<Shape, int>> counts, int models);

  // In expected thousandths of a slot. The node's shared slots are sorted from most to least free.
  double fragmentation(const NodeState& node) const;

 private:
  struct Kind {  // of requests, CPU aside
    int slots = 1;
    int slot_milli = whole_slot;
    bool single_node = false;
    auto operator<=>(const Kind&) const = default;
  };
  struct Table {                               // of one model
    std::vector<int> cpu_steps;                // what requests ask for, rising
    std::vector<std::vector<double>> weights;  // by step and kind: share asking for no more CPU
  };

  std::vector<Kind> kinds_;
  std::vector<Table> tables_;
};

// How well a request fits a node that holds it, and which shared slot it should take a part of.
Fit fit_by_fragmentation(const NodeState& node, const Shape& shape, const Workload& workload,
                         double fragmentation_now);
// The published rule: differences are pressed into hundred steps, so that small ones do not count.
Fit fit_by_fgd(const NodeState& node, const Shape& shape, const Workload& workload,
               double fragmentation_now);

}  // namespace dt::core
