#include "sim/oracle_values.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "formats/json.h"

namespace dt::sim {

namespace {

std::optional<std::int64_t> count_of(const Value& parameter) {
  const Value& count = parameter["count"];
  return count.is_int() ? std::optional(count.as_int()) : std::nullopt;
}

core::Hyperparameter typed_parameter(const std::string& type, const Value& from) {
  if (type == "const") return {core::ConstParameter{from["val"]}};
  if (type == "categorical") return {core::CategoricalParameter{from["vals"].as_array()}};
  if (type == "nested") return {core::NestedParameter{space_of(from["params"])}};
  const Value& low = from["minval"];
  const Value& high = from["maxval"];
  if (type == "int") return {core::IntParameter{low.as_int(), high.as_int(), count_of(from)}};
  if (type == "double") {
    return {core::DoubleParameter{low.as_double(), high.as_double(), count_of(from)}};
  }
  if (type != "log") return {core::ConstParameter{from}};  // then the comparison shows it
  return {core::LogParameter{from["base"].as_double(), low.as_double(), high.as_double(),
                             count_of(from)}};
}

core::Hyperparameter parameter_of(const Value& from) {
  if (!from.is_object()) return {core::ConstParameter{from}};
  const Value& type = from["type"];
  if (!type.is_string()) return {core::NestedParameter{space_of(from)}};
  return typed_parameter(type.as_string(), from);
}

}  // namespace

core::HyperparameterSpace space_of(const Value& hparams) {
  core::HyperparameterSpace space;
  if (!hparams.is_object()) return space;
  for (const auto& [name, parameter] : hparams.as_object()) {
    space.emplace(name, parameter_of(parameter));
  }
  return space;
}

std::int64_t int_or(const Value& map, const std::string& key, std::int64_t otherwise) {
  const Value& found = map[key];
  return found.is_number() ? static_cast<std::int64_t>(found.as_double()) : otherwise;
}

bool bool_or(const Value& map, const std::string& key, bool otherwise) {
  const Value& found = map[key];
  return found.is_bool() ? found.as_bool() : otherwise;
}

bool close_to(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

bool equal_values(const Value& expected, const Value& got) {
  if (expected.is_number() && got.is_number()) {
    return expected == got || close_to(expected.as_double(), got.as_double());
  }
  if (expected.is_array() && got.is_array()) {
    return std::equal(expected.as_array().begin(), expected.as_array().end(),
                      got.as_array().begin(), got.as_array().end(), equal_values);
  }
  if (expected.is_object() && got.is_object()) {
    return std::equal(expected.as_object().begin(), expected.as_object().end(),
                      got.as_object().begin(), got.as_object().end(),
                      [](const auto& a, const auto& b) {
                        return a.first == b.first && equal_values(a.second, b.second);
                      });
  }
  return expected == got;
}

Verdict expect_equal(const std::string& what, const Value& expected, const Value& got) {
  if (equal_values(expected, got)) return std::nullopt;
  return cat(what, ": expected ", to_json(expected), ", got ", to_json(got));
}

}  // namespace dt::sim
