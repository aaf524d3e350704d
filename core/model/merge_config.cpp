#include "core/model/merge_config.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>

namespace dt::core {
namespace {

using Merge = std::function<Value(const Value&, const Value&)>;
using Rules = std::map<std::string, Merge>;  // of keys with rules of their own

Value merge_values(const Value& above, const Value& base, const Rules& rules = {}) {
  if (above.is_null()) return base;
  if (!above.is_object() || !base.is_object()) return above;
  Value merged = base;
  for (const auto& [key, value] : above.as_object()) {
    const auto rule = rules.find(key);
    merged.set(
        key, rule == rules.end() ? merge_values(value, base[key]) : rule->second(value, base[key]));
  }
  return merged;
}

// "/host:/container:mode" or {host_path, container_path, …}.
std::string container_path(const Value& mount) {
  if (mount.is_object()) {
    const Value& path = mount["container_path"];
    return path.is_string() ? path.as_string() : "";
  }
  if (!mount.is_string()) return "";
  const std::string& text = mount.as_string();
  const std::size_t begin = text.find(':');
  if (begin == std::string::npos) return text;
  return text.substr(begin + 1, text.find(':', begin + 1) - begin - 1);
}

std::string name_of(const Value& policy) {
  return policy["name"].is_string() ? policy["name"].as_string() : "";
}

// Those of the base whose mark nobody above has come after; an empty mark is nobody's.
Value merge_lists(const Value& above, const Value& base,
                  const std::function<std::string(const Value&)>& mark) {
  if (!above.is_array() || !base.is_array()) return above.is_null() ? base : above;
  Value::Array merged = above.as_array();
  for (const Value& item : base.as_array()) {
    const bool known = !mark(item).empty() &&
                       std::any_of(merged.begin(), merged.end(),
                                   [&](const Value& one) { return mark(one) == mark(item); });
    if (!known) merged.push_back(item);
  }
  return Value(std::move(merged));
}

Value append(const Value& above, const Value& base) {
  return merge_lists(above, base, [](const Value&) { return std::string(); });
}

Value merge_union(const Value& above, const Value& base, const char* type,
                  std::initializer_list<const char*> common) {
  if (!above.is_object() || !base.is_object()) return above.is_null() ? base : above;
  const bool same = above[type].is_null() || base[type].is_null() || above[type] == base[type];
  if (same) return merge_values(above, base);
  Value merged = above;
  for (const char* key : common) {
    if (above[key].is_null() && !base[key].is_null()) merged.set(key, base[key]);
  }
  return merged;
}

bool is_nested(const Value& hyperparameter) {
  return hyperparameter.is_object() && hyperparameter.find("type") == nullptr;
}

}  // namespace

Value merge_mounts(const Value& above, const Value& base) {
  return merge_lists(above, base, container_path);
}

Value merge_log_policies(const Value& above, const Value& base) {
  return merge_lists(above, base, name_of);
}

Value merge_storage(const Value& above, const Value& base) {
  return merge_union(above, base, "type",
                     {"save_experiment_best", "save_trial_best", "save_trial_latest"});
}

Value merge_searcher(const Value& above, const Value& base) {
  return merge_union(above, base, "name",
                     {"metric", "smaller_is_better", "source_trial_id", "source_checkpoint_uuid"});
}

// Null is a value here: a constant.
Value merge_hyperparameters(const Value& above, const Value& base) {
  if (!is_nested(above) || !is_nested(base)) return above;
  Value merged = base;
  for (const auto& [key, value] : above.as_object()) {
    const bool both = is_nested(value) && base.find(key) != nullptr;
    merged.set(key, both ? merge_hyperparameters(value, base[key]) : value);
  }
  return merged;
}

Value merge_config(const Value& above, const Value& base) {
  const Rules environment = {{"environment_variables", append}};
  const Rules resources = {{"devices", merge_mounts}};
  return merge_values(
      above, base,
      {{"bind_mounts", merge_mounts},
       {"log_policies", merge_log_policies},
       {"checkpoint_storage", merge_storage},
       {"searcher", merge_searcher},
       {"hyperparameters", merge_hyperparameters},
       {"environment",
        [&](const Value& a, const Value& b) { return merge_values(a, b, environment); }},
       {"resources",
        [&](const Value& a, const Value& b) { return merge_values(a, b, resources); }}});
}

}  // namespace dt::core
