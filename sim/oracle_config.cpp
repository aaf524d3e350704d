// The oracle's cases of configurations: what is valid and what defaults are filled in. A case names
// the part of a configuration it is about ("bind_mount", "length").
#include <algorithm>
#include <map>

#include "core/model/config_schema.h"
#include "core/model/hyperparameters_schema.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::schema::Check;
using core::schema::Findings;

constexpr const char* root = "<config>";

Check int_hyperparameter() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    Value typed = value;
    typed.set("type", "int");
    return core::hyperparameter_schema()(typed, path, findings);
  };
}

Check grid_space() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    const Value resolved = core::hyperparameter_space_schema()(value, path, findings);
    if (findings.errors.empty()) core::check_grid(core::space_of(resolved), path, findings);
    return resolved;
  };
}

Check shared_fs() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    Value typed = value;
    typed.set("type", "shared_fs");
    return core::checkpoint_storage_schema()(typed, path, findings);
  };
}

const std::map<std::string, Check>& parts() {
  static const std::map<std::string, Check> all = {
      {"bind_mount", core::bind_mount_schema()},    {"device string", core::device_schema()},
      {"entrypoint", core::entrypoint_schema()},    {"environment", core::environment_schema()},
      {"experiment", core::experiment_schema()},    {"hparams+grid", grid_space()},
      {"int hyperparameter", int_hyperparameter()}, {"length", core::length_schema(0)},
      {"log_action", core::log_action_schema()},    {"log_policies", core::log_policies_schema()},
      {"log_policy", core::log_policy_schema()},    {"positive length", core::length_schema(1)},
      {"profiling", core::profiling_schema()},      {"resources", core::resources_schema()},
      {"searcher", core::searcher_schema()},        {"shared_fs", shared_fs()},
      {"shm_size", core::memory_size_schema()},
  };
  return all;
}

std::optional<std::string> not_in_this_release(const Value& test_case) {
  const std::string& part = test_case["object"].as_string();
  if (parts().count(part) == 0) return cat(part, " is not in this release");
  if (part != "searcher") return std::nullopt;
  const std::vector<std::string> known = {"single",        "random",        "grid",
                                          "async_halving", "adaptive_asha", "hyperband",
                                          "pbt",           "tpe",           "custom"};
  const std::string& name = test_case["in"]["name"].as_string();
  if (std::find(known.begin(), known.end(), name) != known.end()) return std::nullopt;
  return cat("searcher ", name, " is not in this release");
}

// Determined writes "host_path must be …" where we write "host_path: must be …".
std::string without_colons(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ':'), text.end());
  return text;
}

std::string text_of(const Findings& findings) {
  std::string text;
  for (const Status& error : findings.errors)
    text += cat(text.empty() ? "" : "; ", error.message());
  return text.empty() ? "no error" : text;
}

Findings judge(const Value& test_case) {
  Findings findings;
  parts().at(test_case["object"].as_string())(test_case["in"], root, findings);
  return findings;
}

Verdict run_validation(const Value& test_case) {
  const Findings findings = judge(test_case);
  const std::string got = text_of(findings);
  if (test_case["error"].is_null()) {
    if (findings.errors.empty()) return std::nullopt;
    return cat("expected no error, got ", got);
  }
  for (const Value& expected : test_case["error"].as_array()) {
    const std::string part = without_colons(expected.as_string());
    if (without_colons(got).find(part) == std::string::npos) {
      return cat("expected the error \"", expected.as_string(), "\", got ", got);
    }
  }
  return std::nullopt;
}

Verdict compare_members(const Value& expected, const Value& got) {
  for (const auto& [key, member] : expected.as_object()) {
    if (const Verdict wrong = expect_equal(key, member, got[key])) return wrong;
    if (!got.find(key)) return cat("expected ", key, " to be there, got nothing");
  }
  return std::nullopt;
}

Verdict run_defaults(const Value& test_case) {
  Findings findings;
  const Check& check = parts().at(test_case["object"].as_string());
  const Value got = check(test_case["in"], root, findings);
  if (!findings.errors.empty()) return cat("expected no error, got ", text_of(findings));
  const Value& adds = test_case["adds"];
  const Value& expected = adds.is_null() ? test_case["gives"] : adds;
  if (!expected.is_object()) return expect_equal("value", expected, got);
  return compare_members(expected, got);
}

}  // namespace

std::vector<OracleSection> config_sections() {
  return {
      {"expconf_validate", run_validation, not_in_this_release},
      {"expconf_defaults", run_defaults, not_in_this_release},
  };
}

}  // namespace dt::sim
