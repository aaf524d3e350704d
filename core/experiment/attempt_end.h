// How an attempt ended, judged when every rank's exit record was read or its node is gone: the
// decision order of docs/decisions/0004-allocation-end.md. Nothing here depends on the order in
// which exits were heard, but for the choice of the one that the message names. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/master/rows.h"

namespace dt::core {

enum class RankEnd { done, preempted, invalid_hparams, ordered, failed };

// `ordered`: it died of SIGTERM or SIGKILL after stop or kill, which is no failure.
RankEnd end_of_rank(const RankExit& exit);

// How the message of a trial begins whose hyperparameters its program refused.
inline constexpr const char* invalid_hparams_words = "invalid hyperparameters: ";

// "rank 1 exited with 3", "rank 1 was ended by signal 9"
std::string describe(const RankExit& exit);

// The ranks of the node, one without slots has one.
int rank_count(const AllocationNode& node);
bool was_read(const AllocationNode& node, int rank);
const RankExit* find_exit(const AllocationNode& node, int rank);

// Everything that will be known of this node is known: its exits are read, or it is gone.
bool is_settled(const AllocationNode& node);
bool is_settled(const AllocationRow& allocation);

// Why the gang can no longer be whole, so that the other nodes must be ended: a rank that ended
// other than with 0 or 75, a node that is gone or could not start. Empty: nothing is wrong.
std::string trouble_of(const AllocationRow& allocation);

enum class EndKind {
  completed,
  stopped,   // the searcher had enough
  canceled,  // by a person
  errored,   // cannot succeed by being repeated
  invalid_hparams,
  preempted,       // will go on where it stopped
  infrastructure,  // not the trial's fault: again, at no cost
  failed,          // costs a restart
};

struct AttemptEnd {
  EndKind kind = EndKind::completed;
  std::string message;
  bool operator==(const AttemptEnd&) const = default;
};

AttemptEnd judge_end(const TrialRow& trial, const AllocationRow& allocation);

}  // namespace dt::core
