// The queue as people see it: every experiment that is not over, pool by pool in the order in which
// the scheduler serves them, with what it holds, what it waits for and why. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/master/rows.h"

namespace dt::core {

class Book;

struct QueuedTrial {
  TrialId trial;
  TrialState state = TrialState::active;
  int slots = 1;
  std::string reason;  // why it does not run
  bool operator==(const QueuedTrial&) const = default;
};

enum class JobState { running, queued, paused };  // running: it holds slots
const char* to_text(JobState state);

struct Job {
  ExperimentId experiment;
  std::string name;
  std::string owner;
  std::string pool;
  int priority = 42;
  JobState state = JobState::queued;
  int position = 0;  // among the pool's jobs that wait, from 1; 0: does not wait
  int slots_held = 0;
  int slots_wanted = 0;  // by its trials that wait
  int trials_running = 0;
  int trials_waiting = 0;
  std::string reason;  // of the first trial that waits
  std::int64_t submitted_ms = 0;
  double weight = 1;
  std::optional<int> max_slots;
  std::int64_t estimated_start_ms = 0;  // of its next trial; 0: unknown
  std::vector<QueuedTrial> trials;  // that do not run, in the order in which they would start
  bool operator==(const Job&) const = default;
};

std::vector<Job> queue_of(const Book& book);

}  // namespace dt::core
