// What the oracle's search runners share: reading hyperparameter spaces from a case and comparing
// values, numbers within rounding.
#pragma once

#include <optional>
#include <string>

#include "base/value.h"
#include "core/model/hyperparameters.h"

namespace dt::sim {

using Verdict = std::optional<std::string>;  // what went wrong

core::HyperparameterSpace space_of(const Value& hparams);

std::int64_t int_or(const Value& map, const std::string& key, std::int64_t otherwise);
bool bool_or(const Value& map, const std::string& key, bool otherwise);

bool close_to(double a, double b);  // relative 1e-12: libm's pow may differ in the last bit
bool equal_values(const Value& expected, const Value& got);
Verdict expect_equal(const std::string& what, const Value& expected, const Value& got);

}  // namespace dt::sim
