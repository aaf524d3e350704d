#include "core/model/config_schema.h"

#include <algorithm>

#include "core/model/hyperparameters_schema.h"
#include "core/model/limits.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Field;
using schema::Fields;
using schema::Findings;

bool is_variable_name(const std::string& name) {
  constexpr const char* allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && name.find_first_not_of(allowed) == std::string::npos &&
         (name[0] < '0' || name[0] > '9');
}

// NAME=value, or NAME alone: the agent's own value.
Value variable(const Value& value, const std::string& path, Findings& findings) {
  const std::size_t errors_before = findings.errors.size();
  schema::text()(value, path, findings);
  if (findings.errors.size() > errors_before) return value;
  const std::string& text = value.as_string();
  const std::string name = text.substr(0, text.find('='));
  if (!is_variable_name(name)) {
    findings.error(path, value, cat("\"", name, "\" is no name of an environment variable"),
                   "write NAME=value");
  }
  return value;
}

Value variables_per_device(const Value& value, const std::string& path, Findings& findings) {
  static const Check list = schema::list_of(variable);
  static const Value none{Value::Array{}};
  static const Check map = schema::object({{.key = "cpu", .check = list, .fallback = none},
                                           {.key = "cuda", .check = list},
                                           {.key = "gpu", .check = list},
                                           {.key = "rocm", .check = list, .fallback = none}});
  Value resolved(Value::Object{});
  if (value.is_array()) {
    const Value variables = list(value, path, findings);
    return resolved.set("cpu", variables).set("cuda", variables).set("rocm", variables);
  }
  const Value given = map(value, path, findings);
  if (!given.is_object()) return given;
  const Value& gpu = given["cuda"].is_null() ? given["gpu"] : given["cuda"];
  return resolved.set("cpu", given["cpu"])
      .set("cuda", gpu.is_null() ? none : gpu)
      .set("rocm", given["rocm"]);
}

Fields container_fields() {
  const std::string reason = "containers are not used, the command runs on the node itself";
  const Value none{Value::Array{}};
  const Check flag = schema::boolean();
  const Check port =
      schema::object({{.key = "proxy_port",
                       .check = schema::integer(1, 65535),
                       .required = "add the port that the program listens on"},
                      {.key = "proxy_tcp", .check = flag, .fallback = Value(false)},
                      {.key = "unauthenticated", .check = flag, .fallback = Value(false)},
                      {.key = "default_service_id", .check = flag, .fallback = Value(false)}});
  return {
      {.key = "image", .check = schema::anything(), .ignored = reason},
      {.key = "force_pull_image", .check = flag, .fallback = Value(false), .ignored = reason},
      {.key = "registry_auth", .check = schema::any_map(), .ignored = reason},
      {.key = "add_capabilities", .check = schema::any_list(), .fallback = none, .ignored = reason},
      {.key = "drop_capabilities",
       .check = schema::any_list(),
       .fallback = none,
       .ignored = reason},
      {.key = "pod_spec", .check = schema::any_map(), .ignored = reason},
      {.key = "ports", .check = schema::any_map(), .ignored = reason},
      {.key = "proxy_ports",
       .check = schema::list_of(port),
       .fallback = none,
       .ignored = "ports of trials are not proxied"},
  };
}

Value slots_per_trial(const Value& value, const std::string& path, Findings& findings) {
  if (value.is_object() && (value.find("min") || value.find("max"))) {
    findings.error(path, value, "elastic trials ({min, max}) are not in this release",
                   "write one number, as in slots_per_trial: 2");
    return value;
  }
  return schema::integer(0, max_slots_limit)(value, path, findings);
}

void check_slots(const Value& resources, const std::string& path, Findings& findings) {
  const Value& most = resources["max_slots"];
  const Value& each = resources["slots_per_trial"];
  if (most.is_null() || most.as_int() >= each.as_int()) return;
  findings.error(schema::child_path(path, "max_slots"), most,
                 cat("no trial could start: max_slots is ", most.as_int(),
                     " and slots_per_trial is ", each.as_int()),
                 "raise max_slots or lower slots_per_trial");
}

// Determined's class of a trial, "model_def:MyTrial": no command, and no shell knows it.
bool is_trial_class(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != text.npos && text.find_first_of(" \t\n/") == text.npos &&
         is_variable_name(text.substr(colon + 1));
}

Check distributed_schema() {
  const Check strategy = schema::word(
      {"auto", "ddp"}, {"zero1", "zero2", "zero3", "fsdp", "local_sgd", "tensor", "pipeline"});
  return schema::object({{.key = "strategy", .check = strategy, .fallback = Value("auto")},
                         {.key = "backend",
                          .check = schema::word({"auto", "gloo"}, {"nccl"}),
                          .fallback = Value("auto")}});
}

Value labels(const Value& value, const std::string& path, Findings& findings) {
  const Value given = schema::list_of(schema::filled_text())(value, path, findings);
  if (!given.is_array()) return given;
  Value::Array distinct;
  for (const Value& label : given.as_array()) {
    const bool seen = std::find(distinct.begin(), distinct.end(), label) != distinct.end();
    if (!seen) distinct.push_back(label);
  }
  return distinct;
}

Fields identity_fields() {
  const Value empty_text("");
  const Check seed = schema::integer(0, 0xffffffff);
  const Check seeds =
      schema::object({{.key = "experiment_seed", .check = seed, .fallback = Value()},
                      {.key = "trial_seed", .check = seed}});
  return {
      {.key = "name", .check = schema::filled_text(), .fallback = Value()},
      {.key = "description", .check = schema::text(), .fallback = Value()},
      {.key = "labels", .check = labels, .fallback = Value(Value::Array{})},
      {.key = "workspace", .check = schema::text(), .fallback = empty_text},
      {.key = "project", .check = schema::text(), .fallback = empty_text},
      {.key = "data", .check = schema::any_map(), .fallback = Value(Value::Object{})},
      schema::map_field("reproducibility", seeds),
  };
}

Fields running_fields() {
  constexpr std::int64_t year_s = 366 * 86400;
  const Value no_period{Value::Object{{"batches", 0}}};
  const Check period = length_schema(0);
  return {
      {.key = "entrypoint",
       .check = entrypoint_schema(),
       .required = "add the command that trains, as in entrypoint: python3 train.py"},
      {.key = "prepare", .check = schema::text(), .fallback = Value("")},
      schema::map_field("environment", environment_schema()),
      schema::map_field("distributed", distributed_schema()),
      {.key = "hyperparameters",
       .check = hyperparameter_space_schema(),
       .fallback = Value(Value::Object{})},
      {.key = "searcher",
       .check = searcher_schema(),
       .required = "add how to search, as in searcher: {name: single, metric: validation_loss}"},
      schema::map_field("resources", resources_schema()),
      {.key = "checkpoint_storage", .check = checkpoint_storage_schema(), .fallback = Value()},
      {.key = "max_restarts", .check = schema::integer(0, 1'000'000), .fallback = Value(5)},
      {.key = "min_checkpoint_period", .check = period, .fallback = no_period},
      {.key = "min_validation_period", .check = period, .fallback = no_period},
      {.key = "perform_initial_validation", .check = schema::boolean(), .fallback = Value(false)},
      schema::map_field("optimizations", optimizations_schema()),
      {.key = "preemption_timeout", .check = schema::integer(1, year_s), .fallback = Value()},
      {.key = "scheduling_unit", .check = schema::integer(1), .fallback = Value(100)},
  };
}

}  // namespace

Check entrypoint_schema() {
  static const Check words = schema::list_of(schema::text());
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (value.is_array()) {
      if (value.as_array().empty()) findings.error(path, value, "must not be empty");
      return words(value, path, findings);
    }
    if (!value.is_string()) {
      findings.error(path, value,
                     cat("expected a string or a list of strings, got ", schema::described(value)));
      return value;
    }
    if (is_trial_class(value.as_string())) {
      findings.warn(path, cat("\"", value.as_string(), "\" looks like the class of a trial; here ",
                              "it is a command for the shell"));
    }
    return schema::filled_text()(value, path, findings);
  };
}

Check environment_schema() {
  const std::vector<std::string> later = {"accelerate", "lightning", "deepspeed", "horovod",
                                          "mpi",        "tf",        "jax",       "keras",
                                          "ray",        "dask",      "spark",     "valohai"};
  const Value empty{Value::Array{}};
  const Value no_variables{Value::Object{{"cpu", empty}, {"cuda", empty}, {"rocm", empty}}};
  Fields fields = container_fields();
  fields.push_back({.key = "family",
                    .check = schema::word({"auto", "none", "torch"}, later),
                    .fallback = Value("auto")});
  fields.push_back(
      {.key = "environment_variables", .check = variables_per_device, .fallback = no_variables});
  return schema::object(std::move(fields));
}

Check resources_schema() {
  const std::string no_container = "trials are plain processes, there is no container";
  const Check count = schema::integer(0, max_slots_limit);
  return schema::object(
      {
          {.key = "slots_per_trial", .check = slots_per_trial, .fallback = Value(1)},
          {.key = "max_slots", .check = count, .fallback = Value()},
          {.key = "weight", .check = schema::number_at_least(0), .fallback = Value(1)},
          {.key = "priority", .check = schema::integer(1, 99), .fallback = Value()},
          {.key = "resource_pool", .check = schema::text(), .fallback = Value("")},
          {.key = "is_single_node", .check = schema::boolean(), .fallback = Value()},
          {.key = "gpu_models",
           .check = schema::list_of(schema::filled_text()),
           .fallback = Value(Value::Array{})},
          {.key = "native_parallel",
           .check = schema::boolean(),
           .fallback = Value(false),
           .ignored = "distributed.strategy says how ranks work together"},
          {.key = "shm_size",
           .check = memory_size_schema(),
           .fallback = Value(),
           .ignored = no_container},
          {.key = "devices",
           .check = schema::list_of(device_schema()),
           .fallback = Value(Value::Array{}),
           .ignored = no_container},
          {.key = "slots", .check = schema::anything(), .ignored = "slots_per_trial counts"},
      },
      check_slots);
}

Check experiment_schema() {
  Fields fields = identity_fields();
  for (const Fields& more : {running_fields(), ignored_fields()}) {
    fields.insert(fields.end(), more.begin(), more.end());
  }
  return schema::object(std::move(fields));
}

}  // namespace dt::core
