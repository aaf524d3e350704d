#include "base/number.h"

#include <cmath>
#include <limits>

namespace dt {

std::optional<double> number_of(const Value& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.as_double();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.as_string();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  return std::nullopt;
}

Value value_of_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

}  // namespace dt
