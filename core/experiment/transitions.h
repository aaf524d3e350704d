// Which states may follow which, for experiments and trials (Determined's tables, where a stopping
// or ended one may also be taken up again). A state machine is this table and nothing else: whoever
// sets a state asks it first. Pure.
#pragma once

#include "core/master/rows.h"

namespace dt::core {

bool can_become(ExperimentState from, ExperimentState to);
bool can_become(TrialState from, TrialState to);

bool is_stopping(ExperimentState state);
bool is_stopping(TrialState state);

// Where a stopping state leads; any other state leads nowhere and is returned as it is.
ExperimentState end_of(ExperimentState stopping);
TrialState end_of(TrialState stopping);

}  // namespace dt::core
