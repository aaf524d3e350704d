// The hyperparameter space of an experiment: Determined's types (const, int, double, log,
// categorical, nested map). A bare value is a const. A list is a const too.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
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

// Reads and checks a space as written in YAML. parse_config() does this too; this is for those who
// have a space without a configuration. A nested map that needs a key "type" of its own is written
// {type: nested, params: {…}}.
Result<HyperparameterSpace> parse_hyperparameters(const Value& space);

// The points of the grid over the space; saturates at int64's maximum. Ranges need a count.
std::int64_t grid_size(const HyperparameterSpace& space);

}  // namespace dt::core
