// Looks for the patterns of an experiment's log policies in the output of its trials, on the way
// into the store. A policy is told once an attempt, so that a flood of equal lines is one fact;
// after a restart of the master perhaps once more. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/agent/record.h"
#include "core/model/log_policies.h"
#include "master/store/store.h"

namespace dt::master {

// An invalid_argument that names the policy, if one of the patterns cannot be read.
Status check_patterns(const std::vector<core::LogPolicy>& policies);

class LogMatcher {
 public:
  explicit LogMatcher(Store& store) : store_(store) {}
  ~LogMatcher();

  // Gives each log record of the allocation that a policy matches the field `policies`, which
  // core/master/ingest.h takes to the inbox; no other record has it afterwards.
  Status mark(AllocationId allocation, std::vector<core::Record>& records);
  // What was marked may not have been stored: it is to be told again.
  void forget(AllocationId allocation);

 private:
  struct Patterns;
  Result<std::shared_ptr<Patterns>> patterns_of(AllocationId allocation);

  Store& store_;
  std::mutex mutex_;
  std::map<AllocationId, std::shared_ptr<Patterns>> known_;  // guarded by mutex_
};

}  // namespace dt::master
