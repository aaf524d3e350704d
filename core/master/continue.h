// An ended experiment goes on: trials that did not complete (or those that are named) run again
// from their last checkpoints, each as a further attempt of the same trial (docs/decisions/0023).
#pragma once

#include "core/master/book.h"

namespace dt::core {

// The answer is {"trials": [ids that go on], "warnings": […]}.
Result<Value> continue_experiment(Step& step, const ExperimentContinued& event);

}  // namespace dt::core
