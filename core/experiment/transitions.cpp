#include "core/experiment/transitions.h"

#include <algorithm>
#include <initializer_list>

namespace dt::core {
namespace {

template <class State>
bool is_one_of(State state, std::initializer_list<State> states) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

template <class State>
bool is_stopping_state(State state) {
  return is_one_of(state, {State::stopping_canceled, State::stopping_killed,
                           State::stopping_completed, State::stopping_error});
}

template <class State>
State end_of_stopping(State state) {
  switch (state) {
    case State::stopping_canceled:
    case State::stopping_killed: return State::canceled;
    case State::stopping_completed: return State::completed;
    case State::stopping_error: return State::error;
    default: return state;
  }
}

}  // namespace

bool can_become(ExperimentState from, ExperimentState to) {
  using S = ExperimentState;
  switch (from) {
    case S::active:
      return is_one_of(to, {S::paused, S::stopping_killed, S::stopping_canceled,
                            S::stopping_completed, S::stopping_error, S::error});
    case S::paused:
      return is_one_of(to, {S::active, S::stopping_killed, S::stopping_canceled,
                            S::stopping_completed, S::stopping_error, S::error});
    case S::stopping_canceled:
      return is_one_of(to, {S::canceled, S::stopping_killed, S::stopping_error, S::error});
    case S::stopping_killed: return is_one_of(to, {S::canceled, S::stopping_error, S::error});
    case S::stopping_completed: return is_one_of(to, {S::completed, S::stopping_error, S::error});
    case S::stopping_error: return is_one_of(to, {S::active, S::error});
    case S::canceled:
    case S::completed:
    case S::error:
    case S::delete_failed: return to == S::deleting;
    case S::deleting: return is_one_of(to, {S::deleted, S::delete_failed});
    case S::deleted: return false;
  }
  return false;
}

bool can_become(TrialState from, TrialState to) {
  using S = TrialState;
  switch (from) {
    case S::active:
      return is_one_of(to, {S::paused, S::stopping_killed, S::stopping_canceled,
                            S::stopping_completed, S::stopping_error, S::error, S::completed});
    case S::paused:
      return is_one_of(to, {S::active, S::stopping_killed, S::stopping_canceled,
                            S::stopping_completed, S::stopping_error, S::error});
    case S::stopping_completed:
      return is_one_of(to, {S::stopping_canceled, S::stopping_killed, S::stopping_error,
                            S::completed, S::error});
    case S::stopping_canceled:
      return is_one_of(to, {S::stopping_killed, S::stopping_error, S::canceled, S::error});
    case S::stopping_killed: return is_one_of(to, {S::stopping_error, S::canceled, S::error});
    case S::stopping_error: return is_one_of(to, {S::active, S::error});
    case S::canceled:
    case S::completed:
    case S::error: return to == S::active;  // it is continued
  }
  return false;
}

bool is_stopping(ExperimentState state) { return is_stopping_state(state); }
bool is_stopping(TrialState state) { return is_stopping_state(state); }

ExperimentState end_of(ExperimentState stopping) { return end_of_stopping(stopping); }
TrialState end_of(TrialState stopping) { return end_of_stopping(stopping); }

}  // namespace dt::core
