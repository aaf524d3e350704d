#include "core/search/point.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/overload.h"

namespace dt::core {

namespace {

Status outside(const std::string& name, const Value& value, const std::string& wanted) {
  std::string got = value.type_name();
  if (value.is_string()) got = cat('"', value.as_string(), '"');
  if (value.is_number()) got = cat(value.as_double());
  return invalid_argument("hyperparameter ", name, " must be ", wanted, ", not ", got)
      .with_detail({.subject = name, .value = got, .hint = "", .path = name});
}

Status check_space(const HyperparameterSpace& space, const Value& point, const std::string& prefix);

Status check_between(const std::string& name, const Value& value, double low, double high) {
  // A rounding of pow() is no point outside.
  const double slack = 1e-9 * std::max(std::abs(low), std::abs(high));
  const bool inside =
      value.is_number() && value.as_double() >= low - slack && value.as_double() <= high + slack;
  return inside ? Status() : outside(name, value, cat("a number from ", low, " to ", high));
}

Status check_one(const Hyperparameter& parameter, const Value& value, const std::string& name) {
  return std::visit(
      Overload{
          [&](const ConstParameter& p) {
            return value == p.val ? Status() : outside(name, value, "the constant of the space");
          },
          [&](const IntParameter& p) {
            const bool inside =
                value.is_int() && value.as_int() >= p.minval && value.as_int() <= p.maxval;
            return inside
                       ? Status()
                       : outside(name, value, cat("an integer from ", p.minval, " to ", p.maxval));
          },
          [&](const DoubleParameter& p) { return check_between(name, value, p.minval, p.maxval); },
          [&](const LogParameter& p) {
            const double one = std::pow(p.base, p.minval), other = std::pow(p.base, p.maxval);
            return check_between(name, value, std::min(one, other), std::max(one, other));
          },
          [&](const CategoricalParameter& p) {
            const bool inside = std::find(p.vals.begin(), p.vals.end(), value) != p.vals.end();
            return inside ? Status() : outside(name, value, "one of its values");
          },
          [&](const NestedParameter& p) { return check_space(p.params, value, name + "."); },
      },
      parameter.kind);
}

Status check_space(const HyperparameterSpace& space, const Value& point,
                   const std::string& prefix) {
  if (!point.is_object()) {
    return invalid_argument("hyperparameters ", prefix, " must be a map, not ", point.type_name());
  }
  for (const auto& [name, value] : point.as_object()) {
    if (!space.contains(name)) {
      return invalid_argument("hyperparameter ", prefix, name, " is not in the space");
    }
  }
  for (const auto& [name, parameter] : space) {
    const Value* value = point.find(name);
    if (value == nullptr) return invalid_argument("hyperparameter ", prefix, name, " is missing");
    TRY(check_one(parameter, *value, prefix + name));
  }
  return {};
}

}  // namespace

Status check_point(const HyperparameterSpace& space, const Value& point) {
  return check_space(space, point, "");
}

}  // namespace dt::core
