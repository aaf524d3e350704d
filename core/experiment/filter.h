// Which trials or experiments a person wants to see: a tree of conditions, joined by “and” or “or”.
// It has two written forms, JSON as Determined's (filter_of) and a line that people type
// (filter_text.h). Evaluated over values by name; text is compared without case. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::core {

enum class FilterOperator {
  equal,
  not_equal,
  less,
  at_most,
  greater,
  at_least,
  contains,
  not_contains,
  is_empty,
  not_empty,
};
// "=", "!=", "<", "<=", ">", ">=", "contains", "notContains", "isEmpty", "notEmpty".
std::optional<FilterOperator> filter_operator(std::string_view text);

struct Filter {
  enum class Kind { all, any, condition };
  Kind kind = Kind::all;
  std::vector<Filter> members;  // of all and any; all of none is true, any of none is false
  std::string column;           // and the rest: of a condition
  FilterOperator condition = FilterOperator::equal;
  Value value;  // is_empty and not_empty have none
  bool operator==(const Filter&) const = default;
};

inline constexpr int filter_depth_max = 32;

// {"kind": "group", "conjunction": "and", "children": […]} and {"kind": "field", "columnName": …,
// "operator": …, "value": …}; a group may lie in {"filterGroup": …}. Errors name the place.
Result<Filter> filter_of(const Value& json);

// `values` is an object; "a.b" is its member of that name, or b of its member a. Of a list one
// element must meet the condition. What is not there meets only is_empty, not_equal and
// not_contains: these are the opposites of not_empty, equal and contains.
bool matches(const Filter& filter, const Value& values);

}  // namespace dt::core
