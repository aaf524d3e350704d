// A point of a hyperparameter space that came from outside: is it one? An error names the
// hyperparameter, its value and what it may be. Pure.
#pragma once

#include "base/status.h"
#include "core/model/hyperparameters.h"

namespace dt::core {

Status check_point(const HyperparameterSpace& space, const Value& point);

}  // namespace dt::core
