// The parts of Determined's configuration that have no effect here: they need containers, clouds or
// services that a site of ours lacks, or belong to the training code.
#include <algorithm>

#include "core/model/config_schema.h"
#include "core/model/paths.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Field;
using schema::Findings;

constexpr const char* training_code = "set it in the training code";

bool is_memory_size(std::string text) {
  const auto skip = [&](const char* characters) {
    const std::size_t end = std::min(text.find_first_not_of(characters), text.size());
    text.erase(0, end);
    return end;
  };
  const auto skip_one = [&](const char* characters) {
    if (!text.empty() && std::string(characters).find(text[0]) != std::string::npos) {
      text.erase(0, 1);
    }
  };
  constexpr const char* digits = "0123456789";
  if (skip(digits) == 0) return false;
  if (!text.empty() && text[0] == '.') {
    text.erase(0, 1);
    if (skip(digits) == 0) return false;
  }
  skip(" ");
  skip_one("kKmMgGtT");
  skip_one("bB");
  return text.empty();
}

Value device_of(const std::string& text, const std::string& path, Findings& findings) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (first == text.npos) {
    findings.error(path, Value(text), cat("expected /host:/container[:mode], got \"", text, "\""));
    return Value(text);
  }
  Value device(Value::Object{});
  device.set("host_path", text.substr(0, first));
  device.set("container_path", text.substr(first + 1, second - first - 1));
  device.set("mode", second == text.npos ? "mrw" : text.substr(second + 1));
  return device;
}

void check_profiling(const Value& profiling, const std::string& path, Findings& findings) {
  const Value& end = profiling["end_after_batch"];
  if (end.is_null() || profiling["begin_on_batch"].as_int() <= end.as_int()) return;
  findings.error(path, profiling, "begin_on_batch must be less than end_after_batch");
}

void check_log_policy(const Value& policy, const std::string& path, Findings& findings) {
  if (!policy["name"].is_null() || !policy["pattern"].is_null()) return;
  findings.error(path, policy, "\"name\" must be set");
}

void check_distinct_names(const Value& policies, const std::string& path, Findings& findings) {
  std::vector<std::string> names;
  for (const Value& policy : policies.as_array()) {
    if (!policy["name"].is_string()) continue;
    const std::string& name = policy["name"].as_string();
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      findings.error(path, policy["name"], cat("two policies have the name \"", name, "\""));
    }
    names.push_back(name);
  }
}

Field ignored(const std::string& key, Check check, const std::string& reason,
              std::optional<Value> fallback = std::nullopt) {
  return Field{
      .key = key, .check = std::move(check), .fallback = std::move(fallback), .ignored = reason};
}

Field ignored_map(const std::string& key, const Check& check, const std::string& reason) {
  Field field = schema::map_field(key, check);
  field.ignored = reason;
  return field;
}

}  // namespace

Check bind_mount_schema() {
  const Check container_path = [](const Value& value, const std::string& path, Findings& findings) {
    if (value == Value(".")) findings.error(path, value, "container_path must not be \".\"");
    return schema::text()(value, path, findings);
  };
  return schema::object(
      {{.key = "host_path", .check = schema::absolute_path(), .required = "add the node's folder"},
       {.key = "container_path", .check = container_path, .required = "add the folder to mount at"},
       {.key = "read_only", .check = schema::boolean(), .fallback = Value(false)},
       {.key = "propagation", .check = schema::text(), .fallback = Value("rprivate")}});
}

Check device_schema() {
  static const Check map = schema::object(
      {{.key = "host_path", .check = schema::text(), .required = "add the node's device"},
       {.key = "container_path", .check = schema::text(), .required = "add the device's new path"},
       {.key = "mode", .check = schema::text(), .fallback = Value("mrw")}});
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (value.is_string()) return device_of(value.as_string(), path, findings);
    return map(value, path, findings);
  };
}

Check memory_size_schema() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (value.is_int()) return schema::integer(0)(value, path, findings);
    if (!value.is_string() || !is_memory_size(value.as_string())) {
      findings.error(path, value,
                     cat("must be a valid memory size, got ", schema::described(value)),
                     "write bytes, or a number with kb, mb, gb or tb");
    }
    return value;
  };
}

Check length_schema(std::int64_t least) {
  const Check count = schema::integer(least);
  return schema::object({{.key = "batches", .check = count},
                         {.key = "records", .check = count},
                         {.key = "epochs", .check = count}},
                        [](const Value& length, const std::string& path, Findings& findings) {
                          if (length.as_object().size() == 1) return;
                          findings.error(path, length,
                                         "must have one attribute of batches, records and epochs");
                        });
}

Check log_action_schema() {
  static const Check action = schema::word({"cancel_retries", "exclude_node"});
  static const Check legacy =
      schema::object({{.key = "type", .check = action, .required = "add the action"}});
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_object()) return action(value, path, findings);
    return legacy(value, path, findings)["type"];
  };
}

Check log_policy_schema() {
  return schema::object({{.key = "name", .check = schema::filled_text()},
                         {.key = "pattern", .check = schema::text()},
                         {.key = "action", .check = log_action_schema()}},
                        check_log_policy);
}

Check log_policies_schema() {
  static const Check list = schema::list_of(log_policy_schema());
  return [](const Value& value, const std::string& path, Findings& findings) {
    const Value policies = list(value, path, findings);
    if (policies.is_array()) check_distinct_names(policies, path, findings);
    return policies;
  };
}

Check profiling_schema() {
  return schema::object(
      {{.key = "enabled", .check = schema::boolean(), .fallback = Value(false)},
       {.key = "begin_on_batch", .check = schema::integer(0), .fallback = Value(0)},
       {.key = "end_after_batch", .check = schema::integer(0), .fallback = Value()},
       {.key = "sync_timings", .check = schema::boolean(), .fallback = Value(true)}},
      check_profiling);
}

Check optimizations_schema() {
  const Check flag = schema::boolean();
  const Check size = schema::integer(0);
  const Check precision = schema::word({"O0", "O1", "O2", "O3"});
  return schema::object(
      {{.key = "aggregation_frequency", .check = schema::integer(1), .fallback = Value(1)},
       ignored("auto_tune_tensor_fusion", flag, training_code, Value(false)),
       ignored("average_aggregated_gradients", flag, training_code, Value(true)),
       ignored("average_training_metrics", flag, training_code, Value(true)),
       ignored("gradient_compression", flag, training_code, Value(false)),
       ignored("grad_updates_size_file", schema::text(), training_code, Value()),
       ignored("mixed_precision", precision, training_code, Value("O0")),
       ignored("tensor_fusion_cycle_time", size, training_code, Value(1)),
       ignored("tensor_fusion_threshold", size, training_code, Value(64))});
}

schema::Fields ignored_fields() {
  const Check anything = schema::anything();
  const std::string deprecated = "Determined gave this key up";
  const std::string no_engine = "trials are started by our own agents";
  const Check retention = schema::object(
      {{.key = "log_retention_days", .check = schema::integer(-1, 32767), .fallback = Value()}});
  return {
      ignored("bind_mounts", schema::list_of(bind_mount_schema()),
              "trials are plain processes and see the node's own folders", Value(Value::Array{})),
      ignored("checkpoint_policy", schema::word({"best", "all", "none"}),
              "checkpoints follow min_checkpoint_period and the training code", Value("best")),
      ignored("debug", schema::boolean(), training_code, Value(false)),
      ignored("integrations", schema::any_map(), "this site has none", Value()),
      Field{.key = "log_policies",
            .check = log_policies_schema(),
            .fallback = Value(Value::Array{})},
      ignored_map("retention_policy", retention, "logs are kept"),
      ignored("pbs", schema::any_map(), no_engine, Value(Value::Object{})),
      ignored("slurm", schema::any_map(), no_engine, Value(Value::Object{})),
      ignored_map("profiling", profiling_schema(), training_code),
      ignored("records_per_epoch", schema::integer(0), training_code, Value(0)),
      ignored("security", anything, deprecated),
      ignored("tensorboard_storage", anything, deprecated),
      ignored("data_layer", anything, deprecated),
      ignored("internal", anything, deprecated),
  };
}

}  // namespace dt::core
