// One trial's life: created by the search, waiting, running in attempts, over. A trial that ends
// tells the search, which may ask for more; see experiments.h.
#pragma once

#include <string>

#include "core/master/book.h"

namespace dt::core {

void create_trial(Step& step, ExperimentId experiment, const CreateTrial& create);

// The search has heard enough of it: values that still come are stored and never judged.
void stop_trial(Step& step, TrialId trial);
void pause_trial(Step& step, TrialId trial);
void activate_trial(Step& step, TrialId trial);  // not one that the search paused
void cancel_trial(Step& step, TrialId trial);    // its ranks may checkpoint first
void kill_trial(Step& step, TrialId trial);
// Ends with an error as soon as its attempt is over.
void fail_trial(Step& step, TrialId trial, const std::string& message);

// It is over: `state` is terminal; the search hears `reason`, unless its experiment is stopping too:
// then it can go on later as if nothing had happened.
void end_trial(Step& step, TrialId trial, TrialState state, ExitReason reason,
               const std::string& message);

void tell_exit(Step& step, TrialId trial, ExitReason reason);

// It has ended and runs once more, from its last checkpoint.
void reopen_trial(Step& step, TrialId trial);

bool wants_slots(const TrialMemory& trial, Time now);

}  // namespace dt::core
