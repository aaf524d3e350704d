// Log policies: what a line of a trial's output means. Without an action a policy only labels the
// trial. Two are there unless a configuration names them without a pattern. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value.h"

namespace dt::core {

struct LogPolicy {
  enum class Action { none, cancel_retries, exclude_node };
  std::string name;     // may be empty
  std::string pattern;  // RE2; empty: the policy is off
  Action action = Action::none;
  bool operator==(const LogPolicy&) const = default;
};

const char* to_text(LogPolicy::Action action);  // "", "cancel_retries", "exclude_node"

// A checked list, with the policies that are there anyway.
Value with_default_policies(const Value& policies);
std::vector<LogPolicy> log_policies_of(const Value& policies);

}  // namespace dt::core
