// How an attempt ended, after docs/decisions/0004: the second opinion.
#include <algorithm>

#include "sim/attempt_laws.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

int ranks_of(const AllocationNode& node) {
  return std::max<int>(static_cast<int>(node.slot_ids.size()), 1);
}

bool is_read(const AllocationNode& node, int rank) {
  return std::find(node.exits_read.begin(), node.exits_read.end(), rank) != node.exits_read.end();
}

bool is_gone(const AllocationNode& node) {
  if (node.infrastructure && !node.failure.empty()) return true;
  int read = 0;
  for (int i = 0; i < ranks_of(node); ++i) read += is_read(node, node.first_rank + i) ? 1 : 0;
  return node.phase == AllocationPhase::lost && read < ranks_of(node);
}

struct Count {
  int ranks = 0, done = 0, preempted = 0, invalid = 0, failed = 0;
};

Count count_of(const AllocationRow& row) {
  Count count;
  for (const AllocationNode& node : row.nodes) {
    count.ranks += ranks_of(node);
    for (const RankExit& exit : node.exits) {
      if (!is_read(node, exit.rank)) continue;
      const bool killed =
          exit.code == 137 || exit.code == 143 || exit.signal == 9 || exit.signal == 15;
      if (exit.code == 0 && exit.signal == 0) {
        ++count.done;
      } else if (exit.code == 75 || (killed && exit.ordered == Order::preempt)) {
        ++count.preempted;
      } else if (exit.code == 78) {
        ++count.invalid;
      } else if (exit.ordered != Order::kill && !(killed && exit.ordered == Order::stop)) {
        ++count.failed;
      }
    }
  }
  return count;
}

}  // namespace

bool is_settled(const AllocationRow& row) {
  return std::all_of(row.nodes.begin(), row.nodes.end(), [](const AllocationNode& node) {
    const bool all_read = std::all_of(node.exits.begin(), node.exits.end(),
                                      [&](const auto& exit) { return is_read(node, exit.rank); });
    return node.released && (node.given_up || node.phase == AllocationPhase::lost || all_read);
  });
}

EndOf judge(const TrialRow& before, bool stopped, const AllocationRow& row) {
  if (stopped) return EndOf::stopped;
  if (before.state == TrialState::stopping_killed) return EndOf::canceled;
  if (before.state == TrialState::stopping_canceled) return EndOf::canceled;
  if (before.state == TrialState::stopping_error) return EndOf::errored;
  for (const AllocationNode& node : row.nodes) {
    if (!node.failure.empty() && !node.infrastructure) return EndOf::errored;
  }
  const Count count = count_of(row);
  if (count.invalid > 0) return EndOf::invalid;
  if (count.done == count.ranks) return EndOf::completed;
  if (count.preempted > 0) return EndOf::preempted;
  if (row.preempt_deadline_ms > 0 && count.failed == 0) return EndOf::preempted;
  if (std::any_of(row.nodes.begin(), row.nodes.end(), is_gone)) return EndOf::infrastructure;
  return count.failed > 0 ? EndOf::failed : EndOf::infrastructure;
}

}  // namespace dt::sim
