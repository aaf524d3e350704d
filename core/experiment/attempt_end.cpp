#include "core/experiment/attempt_end.h"

#include <algorithm>

#include "base/cat.h"

namespace dt::core {
namespace {

constexpr int code_preempted = 75;
constexpr int code_invalid_hparams = 78;
constexpr int signal_kill = 9;
constexpr int signal_terminate = 15;

bool died_of(const RankExit& exit, int signal) {
  return exit.signal == signal || exit.code == 128 + signal;
}

// A node that could not run for no fault of the trial, or that vanished before all its exits were
// read.
bool is_gone(const AllocationNode& node) {
  if (!node.failure.empty() && node.infrastructure) return true;
  if (node.phase != AllocationPhase::lost) return false;
  for (int i = 0; i < rank_count(node); ++i) {
    if (!was_read(node, node.first_rank + i)) return true;
  }
  return false;
}

std::string why_gone(const AllocationNode& node) {
  if (!node.failure.empty()) return node.failure;
  return cat("agent ", node.agent, " lost the allocation");
}

struct Ends {  // of all ranks of the gang whose exit was read
  int done = 0;
  int preempted = 0;
  int ordered = 0;
  int ranks = 0;  // of the gang
  const RankExit* overdue = nullptr;  // told to end, but it had to be killed
  const RankExit* invalid = nullptr;
  const RankExit* failed = nullptr;  // the likeliest cause
};

// Of several failures the cause is the one that no peer's end explains: an exit code before
// SIGKILL before SIGTERM, then the first heard.
int guilt(const RankExit& exit) {
  if (died_of(exit, signal_terminate)) return 0;
  return died_of(exit, signal_kill) ? 1 : 2;
}

void count(const RankExit& exit, Ends& ends) {
  if (exit.ordered >= Order::preempt && died_of(exit, signal_kill)) ends.overdue = &exit;
  switch (end_of_rank(exit)) {
    case RankEnd::done: ++ends.done; break;
    case RankEnd::preempted: ++ends.preempted; break;
    case RankEnd::ordered: ++ends.ordered; break;
    case RankEnd::invalid_hparams: ends.invalid = &exit; break;
    case RankEnd::failed:
      if (ends.failed == nullptr || guilt(exit) > guilt(*ends.failed)) ends.failed = &exit;
      break;
  }
}

Ends ends_of(const AllocationRow& allocation) {
  Ends ends;
  for (const AllocationNode& node : allocation.nodes) {
    ends.ranks += rank_count(node);
    for (const RankExit& exit : node.exits) {
      if (was_read(node, exit.rank)) count(exit, ends);
    }
  }
  return ends;
}

std::optional<AttemptEnd> ordered_end(const TrialRow& trial) {
  if (trial.stopped_by_searcher) return AttemptEnd{EndKind::stopped, ""};
  switch (trial.state) {
    case TrialState::stopping_killed: return AttemptEnd{EndKind::canceled, "killed"};
    case TrialState::stopping_canceled: return AttemptEnd{EndKind::canceled, "canceled"};
    case TrialState::stopping_error: return AttemptEnd{EndKind::errored, trial.message};
    default: return std::nullopt;
  }
}

const AllocationNode* first_node(const AllocationRow& allocation,
                                 bool (*holds)(const AllocationNode&)) {
  const auto found = std::find_if(allocation.nodes.begin(), allocation.nodes.end(), holds);
  return found == allocation.nodes.end() ? nullptr : &*found;
}

bool could_not_start(const AllocationNode& node) {
  return !node.failure.empty() && !node.infrastructure;
}

}  // namespace

RankEnd end_of_rank(const RankExit& exit) {
  if (exit.code == 0 && exit.signal == 0) return RankEnd::done;
  if (exit.code == code_preempted) return RankEnd::preempted;
  if (exit.code == code_invalid_hparams) return RankEnd::invalid_hparams;
  if (exit.ordered == Order::kill) return RankEnd::ordered;
  const bool of_an_order = died_of(exit, signal_terminate) || died_of(exit, signal_kill);
  if (of_an_order && exit.ordered == Order::preempt) return RankEnd::preempted;
  if (of_an_order && exit.ordered == Order::stop) return RankEnd::ordered;
  return RankEnd::failed;
}

std::string describe(const RankExit& exit) {
  if (exit.out_of_memory) {
    return cat("rank ", exit.rank, " was killed by the kernel: the node had no memory left (OOM)");
  }
  if (exit.signal != 0) return cat("rank ", exit.rank, " was ended by signal ", exit.signal);
  return cat("rank ", exit.rank, " exited with ", exit.code);
}

int rank_count(const AllocationNode& node) {
  return std::max(static_cast<int>(node.slot_ids.size()), 1);
}

bool was_read(const AllocationNode& node, int rank) {
  return std::binary_search(node.exits_read.begin(), node.exits_read.end(), rank);
}

const RankExit* find_exit(const AllocationNode& node, int rank) {
  for (const RankExit& exit : node.exits) {
    if (exit.rank == rank) return &exit;
  }
  return nullptr;
}

bool is_settled(const AllocationNode& node) {
  if (!node.released) return false;
  if (node.given_up || node.phase == AllocationPhase::lost) return true;
  // A rank without an exit in the node's last word never ran.
  return std::all_of(node.exits.begin(), node.exits.end(),
                     [&](const RankExit& exit) { return was_read(node, exit.rank); });
}

bool is_settled(const AllocationRow& allocation) {
  return std::all_of(allocation.nodes.begin(), allocation.nodes.end(),
                     [](const AllocationNode& node) { return is_settled(node); });
}

std::string trouble_of(const AllocationRow& allocation) {
  for (const AllocationNode& node : allocation.nodes) {
    if (could_not_start(node) || is_gone(node)) return why_gone(node);
    for (const RankExit& exit : node.exits) {
      const RankEnd end = end_of_rank(exit);
      if (end == RankEnd::failed || end == RankEnd::invalid_hparams) return describe(exit);
      if (end == RankEnd::ordered && exit.ordered != Order::stop) return describe(exit);
    }
    // Ended before its ranks ran, and nobody had asked for that.
    const bool vanished = node.released && node.exits.empty() && allocation.order != Order::kill;
    if (vanished) return cat("agent ", node.agent, " ended the allocation before its ranks ran");
  }
  return "";
}

AttemptEnd judge_end(const TrialRow& trial, const AllocationRow& allocation) {
  if (std::optional<AttemptEnd> end = ordered_end(trial)) return *end;
  if (const AllocationNode* node = first_node(allocation, could_not_start)) {
    return {EndKind::errored, node->failure};
  }
  const Ends ends = ends_of(allocation);
  if (ends.invalid != nullptr) return {EndKind::invalid_hparams, describe(*ends.invalid)};
  if (ends.done == ends.ranks) return {EndKind::completed, ""};
  const bool was_withdrawn = allocation.preempt_deadline_ms > 0;
  if (ends.preempted > 0 || (was_withdrawn && ends.failed == nullptr)) {
    return {EndKind::preempted, ends.overdue == nullptr ? "" : describe(*ends.overdue)};
  }
  if (const AllocationNode* node = first_node(allocation, is_gone)) {
    const std::string& first = allocation.outcome;  // what was noticed first is the cause
    return {EndKind::infrastructure, first.empty() ? why_gone(*node) : first};
  }
  if (ends.failed != nullptr) return {EndKind::failed, describe(*ends.failed)};
  return {EndKind::infrastructure,
          allocation.outcome.empty() ? "its node ended it before its time" : allocation.outcome};
}

}  // namespace dt::core
