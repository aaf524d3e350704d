// A number as protocol 1 writes it (DESIGN §6): a JSON number, or the string "NaN", "Infinity" or
// "-Infinity". Metrics, hyperparameters and manifests all have it so.
#pragma once

#include <optional>

#include "base/value.h"

namespace dt {

// Anything else (text, a bool, a typed map) is no number.
std::optional<double> number_of(const Value& value);
// The inverse; equal numbers give equal values, NaN too.
Value value_of_number(double number);

}  // namespace dt
