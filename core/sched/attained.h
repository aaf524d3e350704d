// Least attained service with ageing: a scheduler that knows no run times. A job begins on the
// first level and sinks a level each time it has had so many slot hours; a lower level gives way to
// a higher one, by preemption. Short jobs, of which there are many, are therefore served at once,
// and long ones go on in the order of submission among themselves. A job that has waited long
// enough is lifted to the first level for as long as its last wait's run there lasts, so that a
// large gang does not starve behind small jobs that keep coming.
#pragma once

#include "core/sched/request.h"

namespace dt::core {

class AttainedLevels {  // of one pool, now
 public:
  explicit AttainedLevels(const PoolState& pool);
  int at(const SlotRequest& request) const;             // from 0, the first
  Time changes_at(const SlotRequest& request) const;    // by itself; never: it will not
  bool is_protected(const SlotRequest& request) const;  // its run has only just begun

 private:
  bool lifts(Duration wait) const;

  AttainedOptions options_;
  Time now_;
  std::vector<double> slot_hours_;  // where each level ends
};

Scheduled schedule_by_attained(const PoolState& pool);

}  // namespace dt::core
