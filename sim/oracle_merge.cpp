// The oracle's cases about one configuration laid over another.
#include "core/model/merge_config.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

// [host, container] as a mount, [name, pattern, action] as a policy, all else as it is.
Value as_written(const std::string& object, const Value& given) {
  if (!given.is_array()) return given;
  Value::Array list;
  for (const Value& item : given.as_array()) {
    const bool is_short = item.is_array();
    if (object == "bind_mounts" && is_short) {
      const Value::Array& cells = item.as_array();
      list.push_back(Value::Object{{"host_path", cells[0]}, {"container_path", cells[1]}});
    } else if (object == "log_policies" && is_short) {
      const Value::Array& cells = item.as_array();
      list.push_back(
          Value::Object{{"name", cells[0]}, {"pattern", cells[1]}, {"action", cells[2]}});
    } else {
      list.push_back(item);
    }
  }
  return Value(std::move(list));
}

// "transformer: null" is a constant, which the oracle writes out.
Value with_constants_written_out(const Value& space) {
  if (!space.is_object()) return Value::Object{{"type", "const"}, {"val", space}};
  if (space.find("type") != nullptr) return space;
  Value::Object written;
  for (const auto& [key, value] : space.as_object()) {
    written.emplace(key, with_constants_written_out(value));
  }
  return Value(std::move(written));
}

Verdict run_merge(const Value& test_case) {
  const std::string& object = test_case["object"].as_string();
  const Value user = as_written(object, test_case["user"]);
  const Value base = as_written(object, test_case["base"]);
  const Value expected = as_written(object, test_case["merged"]);
  if (object == "hyperparameter" || object == "hyperparameters") {
    return expect_equal(object, with_constants_written_out(expected),
                        with_constants_written_out(core::merge_hyperparameters(user, base)));
  }
  const bool is_mounts = object == "bind_mounts" || object == "devices";
  if (is_mounts) return expect_equal(object, expected, core::merge_mounts(user, base));
  if (object == "experiment") return expect_equal(object, expected, core::merge_config(user, base));
  const Value key_above = Value::Object{{object, user}}, key_base = Value::Object{{object, base}};
  return expect_equal(object, expected, core::merge_config(key_above, key_base)[object]);
}

}  // namespace

std::vector<OracleSection> merge_sections() { return {{"expconf_merge", run_merge}}; }

}  // namespace dt::sim
