#include "core/master/rows.h"

#include <algorithm>
#include <array>

namespace dt::core {
namespace {

constexpr std::array lifecycle_names{"ACTIVE",
                                     "PAUSED",
                                     "STOPPING_CANCELED",
                                     "STOPPING_KILLED",
                                     "STOPPING_COMPLETED",
                                     "STOPPING_ERROR",
                                     "CANCELED",
                                     "COMPLETED",
                                     "ERROR",
                                     "DELETING",  // and the rest: of experiments alone
                                     "DELETE_FAILED",
                                     "DELETED"};
constexpr std::array allocation_names{"PREPARING", "STARTING", "RUNNING", "SETTLING", "ENDED"};
constexpr std::array checkpoint_names{"PENDING", "STORED", "DELETED", "ABANDONED"};

}  // namespace

const char* to_text(ExperimentState state) {
  return lifecycle_names[static_cast<std::size_t>(state)];
}
const char* to_text(TrialState state) { return lifecycle_names[static_cast<std::size_t>(state)]; }
const char* to_text(AllocationState state) {
  return allocation_names[static_cast<std::size_t>(state)];
}
const char* to_text(CheckpointState state) {
  return checkpoint_names[static_cast<std::size_t>(state)];
}

bool is_terminal(ExperimentState state) { return state >= ExperimentState::canceled; }
bool is_terminal(TrialState state) { return state >= TrialState::canceled; }
bool is_deleting(ExperimentState state) { return state >= ExperimentState::deleting; }

bool Writes::empty() const { return *this == Writes{}; }

Time latest_time(const Recovered& recovered) {
  std::int64_t latest_ms = 0;
  const auto see = [&](auto... moments_ms) { latest_ms = std::max({latest_ms, moments_ms...}); };
  for (const auto& row : recovered.experiments) see(row.created_ms, row.ended_ms);
  for (const auto& row : recovered.trials) see(row.created_ms, row.ended_ms);
  for (const auto& row : recovered.allocations) see(row.created_ms, row.started_ms, row.ended_ms);
  for (const auto& row : recovered.checkpoints) see(row.created_ms);
  for (const auto& row : recovered.agents) see(row.joined_ms);
  for (const auto& row : recovered.requests) see(row.created_ms);
  return from_ms(latest_ms);
}

}  // namespace dt::core
