#include "core/master/rows.h"

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
                                     "ERROR"};
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

bool Writes::empty() const { return *this == Writes{}; }

}  // namespace dt::core
