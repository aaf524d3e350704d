#include "core/master/commit.h"

namespace dt::core {

CommitVerdict judge_commit(const LoopState& tried, const LoopState& found) {
  if (found.incarnation != tried.incarnation) return CommitVerdict::exit;
  if (found.batch == tried.batch) return CommitVerdict::perform;
  if (found.batch == tried.batch - 1) return CommitVerdict::write_again;
  if (found.batch < tried.batch) return CommitVerdict::stop_acting;
  return CommitVerdict::exit;  // somebody went on under our name
}

bool commits_were_lost(std::int64_t own_batch, std::int64_t batch_seen) {
  return batch_seen > own_batch;
}

}  // namespace dt::core
