// The fence of the loop's commits (DESIGN §4, Loop): each batch raises the number in loop_state from
// N−1 to N by compare-and-set with this master's incarnation. When the outcome of a commit is unknown,
// the number is read again and decides. Pure; the loop performs, the simulator runs it too.
#pragma once

#include <cstdint>
#include <string>

namespace dt::core {

struct LoopState {
  std::int64_t batch = 0;
  std::string incarnation;
  bool operator==(const LoopState&) const = default;
};

enum class CommitVerdict {
  perform,      // it is there: do the actions
  write_again,  // it is not there: the same rows again, never step again
  exit,         // another master took over
  stop_acting,  // commits were lost: the operator must accept the loss
};

// `tried` is the state that the batch would have written; `found` is what the database says now.
CommitVerdict judge_commit(const LoopState& tried, const LoopState& found);

// A peer named a batch higher than ours: commits were lost (restore from an old backup).
bool commits_were_lost(std::int64_t own_batch, std::int64_t batch_seen);

}  // namespace dt::core
