// The transition tables as text: a change of a rule is seen here.
#include "core/experiment/transitions.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace dt::core {
namespace {

constexpr int trial_states = 9;
constexpr int experiment_states = 12;

template <class State>
std::string table(int states) {
  std::string text;
  for (int from = 0; from < states; ++from) {
    text += cat(to_text(static_cast<State>(from)), ":");
    for (int to = 0; to < states; ++to) {
      const auto next = static_cast<State>(to);
      if (can_become(static_cast<State>(from), next)) text += cat(' ', to_text(next));
    }
    text += '\n';
  }
  return text;
}

TEST(Transitions, OfExperiments) {
  EXPECT_EQ(table<ExperimentState>(experiment_states),
            "ACTIVE: PAUSED STOPPING_CANCELED STOPPING_KILLED STOPPING_COMPLETED STOPPING_ERROR "
            "ERROR\n"
            "PAUSED: ACTIVE STOPPING_CANCELED STOPPING_KILLED STOPPING_COMPLETED STOPPING_ERROR "
            "ERROR\n"
            "STOPPING_CANCELED: STOPPING_KILLED STOPPING_ERROR CANCELED ERROR\n"
            "STOPPING_KILLED: STOPPING_ERROR CANCELED ERROR\n"
            "STOPPING_COMPLETED: STOPPING_ERROR COMPLETED ERROR\n"
            "STOPPING_ERROR: ACTIVE ERROR\n"
            "CANCELED: DELETING\nCOMPLETED: DELETING\nERROR: DELETING\n"
            "DELETING: DELETE_FAILED DELETED\nDELETE_FAILED: DELETING\nDELETED:\n");
}

TEST(Transitions, OfTrials) {
  EXPECT_EQ(table<TrialState>(trial_states),
            "ACTIVE: PAUSED STOPPING_CANCELED STOPPING_KILLED STOPPING_COMPLETED STOPPING_ERROR "
            "COMPLETED ERROR\n"
            "PAUSED: ACTIVE STOPPING_CANCELED STOPPING_KILLED STOPPING_COMPLETED STOPPING_ERROR "
            "ERROR\n"
            "STOPPING_CANCELED: STOPPING_KILLED STOPPING_ERROR CANCELED ERROR\n"
            "STOPPING_KILLED: STOPPING_ERROR CANCELED ERROR\n"
            "STOPPING_COMPLETED: STOPPING_CANCELED STOPPING_KILLED STOPPING_ERROR COMPLETED ERROR\n"
            "STOPPING_ERROR: ACTIVE ERROR\n"
            "CANCELED: ACTIVE\nCOMPLETED: ACTIVE\nERROR: ACTIVE\n");
}

TEST(Transitions, EveryStoppingStateLeadsToItsEnd) {
  for (int i = 0; i < trial_states; ++i) {
    const auto state = static_cast<TrialState>(i);
    EXPECT_EQ(is_stopping(state), end_of(state) != state);
    EXPECT_TRUE(!is_stopping(state) || can_become(state, end_of(state)));
  }
}

}  // namespace
}  // namespace dt::core
