// set_config_key(): one change to a configuration, as `--set` and forks make it.
#include <charconv>

#include "core/model/config.h"
#include "core/model/schema.h"

namespace dt::core {
namespace {

// One element of a path: a key, then indexes: "labels[0]".
struct Step {
  std::string key;
  std::vector<std::size_t> indexes;
};

Status bad_path(const std::string& path, const std::string& why) {
  Detail detail;
  detail.path = path;
  detail.value = path;
  detail.hint = "write it as in searcher.max_trials or labels[0]";
  return invalid_argument("key \"", path, "\" ", why).with_detail(std::move(detail));
}

std::optional<std::vector<std::size_t>> indexes_of(std::string_view text) {
  std::vector<std::size_t> indexes;
  while (!text.empty()) {
    const std::size_t close = text.find(']');
    if (text.front() != '[' || close == text.npos) return std::nullopt;
    std::size_t index = 0;
    const auto [stop, problem] = std::from_chars(text.data() + 1, text.data() + close, index);
    if (problem != std::errc() || stop != text.data() + close) return std::nullopt;
    indexes.push_back(index);
    text.remove_prefix(close + 1);
  }
  return indexes;
}

std::optional<Step> step_of(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  const auto indexes = indexes_of(text.substr(bracket));
  if (bracket == 0 || !indexes) return std::nullopt;
  return Step{std::string(text.substr(0, bracket)), *indexes};
}

Result<std::vector<Step>> steps_of(const std::string& path) {
  std::vector<Step> steps;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    const auto step = step_of(std::string_view(path).substr(start, end - start));
    if (!step) return bad_path(path, "is not a path of keys");
    steps.push_back(*step);
    start = end + 1;
  }
  return steps;
}

// The member, made when it is not there; null when `value` is something else than a map.
Value* member_of(Value& value, const std::string& key) {
  if (value.is_null()) value = Value(Value::Object{});
  return value.is_object() ? &value.as_object()[key] : nullptr;
}

// The item; one past the end appends.
Value* item_of(Value& value, std::size_t index) {
  if (value.is_null()) value = Value(Value::Array{});
  if (!value.is_array() || index > value.as_array().size()) return nullptr;
  if (index == value.as_array().size()) value.as_array().emplace_back();
  return &value.as_array()[index];
}

Status put(Value& config, const std::string& path, const std::vector<Step>& steps, Value value) {
  Value* place = &config;
  for (const Step& step : steps) {
    Value* next = member_of(*place, step.key);
    if (!next) {
      return bad_path(path,
                      cat("leads through ", schema::described(*place), ", not through a map"));
    }
    place = next;
    for (const std::size_t index : step.indexes) {
      next = item_of(*place, index);
      if (!next) return bad_path(path, cat("has no item ", index, ": ", schema::described(*place)));
      place = next;
    }
  }
  *place = std::move(value);
  return {};
}

}  // namespace

Status set_config_key(Value& config, const std::string& path, Value value) {
  const std::vector<Step> steps = TRY(steps_of(path));
  Value changed = config;  // a refused change leaves no half-made maps behind
  TRY(put(changed, path, steps, std::move(value)));
  config = std::move(changed);
  return {};
}

}  // namespace dt::core
