// Judges hyperparameters as written in YAML and brings them into one form, in which every constant
// is {type: const, val: …}; hyperparameters.h has them as data.
#pragma once

#include "core/model/hyperparameters.h"
#include "core/model/schema.h"

namespace dt::core {

schema::Check hyperparameter_schema();        // one of them
schema::Check hyperparameter_space_schema();  // the map of all

// Of what hyperparameter_space_schema() returned without an error.
HyperparameterSpace space_of(const Value& resolved);

// A grid needs a count on every range, and must not be too large to be made.
void check_grid(const HyperparameterSpace& space, const std::string& path,
                schema::Findings& findings);

}  // namespace dt::core
