#include "core/model/log_policies.h"

#include <algorithm>

namespace dt::core {
namespace {

std::string text_of(const Value& value) { return value.is_string() ? value.as_string() : ""; }

LogPolicy::Action action_of(const Value& action) {
  using enum LogPolicy::Action;
  for (const LogPolicy::Action one : {cancel_retries, exclude_node}) {
    if (text_of(action) == to_text(one)) return one;
  }
  return none;
}

}  // namespace

const char* to_text(LogPolicy::Action action) {
  switch (action) {
    case LogPolicy::Action::none: return "";
    case LogPolicy::Action::cancel_retries: return "cancel_retries";
    case LogPolicy::Action::exclude_node: return "exclude_node";
  }
  return "";
}

Value with_default_policies(const Value& policies) {
  Value::Array list = policies.is_array() ? policies.as_array() : Value::Array{};
  const auto add = [&](const char* name, const char* pattern) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const Value& one) { return text_of(one["name"]) == name; });
    if (!known) list.push_back(Value(Value::Object{{"name", name}, {"pattern", pattern}}));
  };
  add("CUDA OOM", ".*CUDA out of memory.*");
  add("ECC Error", ".*uncorrectable ECC error encountered.*");
  return Value(std::move(list));
}

std::vector<LogPolicy> log_policies_of(const Value& policies) {
  std::vector<LogPolicy> list;
  for (const Value& one : policies.as_array()) {
    list.push_back({.name = text_of(one["name"]),
                    .pattern = text_of(one["pattern"]),
                    .action = action_of(one["action"])});
  }
  return list;
}

}  // namespace dt::core
