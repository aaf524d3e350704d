// One rank's whole run, from the environment to the exit code. run() in dovetail/trial.h is this
// with the product's normalisation; tests hand in another.
#pragma once

#include "trial/dovetail/trial.h"
#include "trial/harness/step.h"

namespace dt::trial {

int run_rank(int argc, char** argv, const dovetail::MakeTrial& make_trial,
             const dovetail::Defaults& defaults, const Normalisation& normalisation);

}  // namespace dt::trial
