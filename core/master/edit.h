// Changes of an experiment that do not end or begin it: what it is called and labelled, at any
// time; and its weight, priority and limit of slots, while it is a job in the queue.
#pragma once

#include "core/master/book.h"

namespace dt::core {

// All of it or, with an error that names the key, nothing.
Result<Value> edit_experiment(Step& step, const ExperimentEdited& event);

}  // namespace dt::core
