// A metric's value as protocol 1 writes it: a number, or the strings "NaN", "Infinity" and
// "-Infinity". Anything else (text, a typed map) is no number. Pure.
#pragma once

#include <optional>

#include "base/value.h"

namespace dt::core {

std::optional<double> metric_number(const Value& value);
Value metric_value(double number);  // the inverse; equal numbers give equal values, NaN too

}  // namespace dt::core
