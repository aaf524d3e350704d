// The hyperparameter space of an experiment: Determined's types (const, int, double, log,
// categorical, nested map). A bare value is a const. A list is a const too.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/value.h"

namespace dt::core {

struct Hyperparameter;
using HyperparameterSpace = std::map<std::string, Hyperparameter>;

struct ConstParameter {
  Value val;
  bool operator==(const ConstParameter&) const = default;
};
struct IntParameter {
  std::int64_t minval = 0;
  std::int64_t maxval = 0;
  std::optional<std::int64_t> count;  // grid only
  bool operator==(const IntParameter&) const = default;
};
struct DoubleParameter {
  double minval = 0;
  double maxval = 0;
  std::optional<std::int64_t> count;
  bool operator==(const DoubleParameter&) const = default;
};
struct LogParameter {  // base^x, x uniform in [minval, maxval]: the bounds are exponents
  double base = 10;
  double minval = 0;
  double maxval = 0;
  std::optional<std::int64_t> count;
  bool operator==(const LogParameter&) const = default;
};
struct CategoricalParameter {
  std::vector<Value> vals;
  bool operator==(const CategoricalParameter&) const = default;
};
struct NestedParameter {
  HyperparameterSpace params;
  bool operator==(const NestedParameter&) const;
};

struct Hyperparameter {
  std::variant<ConstParameter, IntParameter, DoubleParameter, LogParameter, CategoricalParameter,
               NestedParameter>
      kind;
  bool operator==(const Hyperparameter&) const = default;
};

inline bool NestedParameter::operator==(const NestedParameter& other) const {
  return params == other.params;
}

}  // namespace dt::core
