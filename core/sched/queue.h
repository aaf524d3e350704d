// What all schedulers share: the order of a queue, reasons for waiting in words, and what people
// are told of a job.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/sched/nodes.h"
#include "core/sched/request.h"

namespace dt::core {

bool is_pending(const SlotRequest& request);  // withdrawn before it was placed: no
inline bool is_running(const SlotRequest& request) { return !request.placed.empty(); }

std::string plural(int count, const char* noun);

// Why requests do not fit, worded once for each shape.
class UnfitReasons {
 public:
  // `now` is looked at whenever a reason is worded.
  UnfitReasons(const PoolState& pool, const Nodes::Totals& now, Scheduled& answer)
      : pool_(pool), now_(now), answer_(answer) {}
  std::size_t of(const SlotRequest& request, int shape);  // in answer.reasons

 private:
  std::string worded(const SlotRequest& request) const;

  const PoolState& pool_;
  const Nodes::Totals& now_;
  Scheduled& answer_;
  std::map<int, std::size_t> known_;  // by shape
};

std::size_t add_reason(Scheduled& answer, std::string text);

// All requests by level, queue position, submission of the job, request time and id.
std::vector<std::size_t> ranked(const PoolState& pool, const std::vector<int>& levels);
// As the pool's scheduler ranks them, running ones too.
std::vector<std::size_t> serving_order(const PoolState& pool);

struct JobInfo {
  enum class State { queued, scheduled_backfilled, scheduled };  // the highest of its requests
  std::string job;
  State state = State::queued;
  int ahead = 0;  // jobs before it; -1: the scheduler has no order (fair share)
  int requested = 0;
  int allocated = 0;
  bool operator==(const JobInfo&) const = default;
};
const char* to_text(JobInfo::State state);  // "QUEUED", …
std::vector<JobInfo> job_queue(const PoolState& pool);

}  // namespace dt::core
