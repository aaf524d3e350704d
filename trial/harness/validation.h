// Validation over all ranks. Batches have a fixed size and are dealt round-robin; every rank's sums
// are exchanged and added up in order of batches, so the result has the same bits at any number of
// ranks, and each sample counts once.
#pragma once

#include "trial/harness/communicator.h"
#include "trial/harness/context.h"

namespace dt::trial {

dovetail::Metrics validate(dovetail::Trial& trial, const dovetail::Dataset& data,
                           dovetail::Context::State& state, Communicator& communicator);

}  // namespace dt::trial
