#include "core/model/hyperparameters_schema.h"

#include <cmath>

#include "base/overload.h"
#include "core/model/limits.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Field;
using schema::Findings;

// Keeps maxval - minval + 1 inside int64.
constexpr std::int64_t integer_limit = std::int64_t{1} << 62;

Field required(const std::string& key, Check check, const std::string& hint) {
  return Field{.key = key, .check = std::move(check), .required = hint};
}

Field count_field() { return Field{.key = "count", .check = schema::integer(1)}; }

void check_order(const Value& range, const std::string& path, Findings& findings) {
  const double low = range["minval"].as_double();
  const double high = range["maxval"].as_double();
  const bool ordered = range["minval"].is_int() && range["maxval"].is_int()
                           ? range["minval"].as_int() < range["maxval"].as_int()
                           : low < high;
  if (ordered) return;
  findings.error(path, range, cat("minval must be less than maxval, got ", low, " and ", high),
                 "for a fixed value write it without a type");
}

// Four decimals; what is too large or too small for that stays as it is.
double for_people(double number) {
  const bool fits = std::fabs(number) > 1e-3 && std::fabs(number) < 1e6;
  return fits ? std::round(number * 1e4) / 1e4 : number;
}

// The bounds of a log range are exponents. Who writes values instead (minval: 0.0001, maxval: 0.1)
// gets a search between 1.0002 and 1.26, and no error anywhere.
void warn_of_values(double base, double low, double high, const std::string& path,
                    Findings& findings) {
  constexpr double float_limit = 3.4e38;
  const bool tiny = low > 0 && high <= 1;
  const bool huge = std::pow(base, high) > float_limit;
  if (!tiny && !huge) return;
  std::string advice = "the bounds of a log range are exponents, not values";
  if (low > 0) {
    const double scale = std::log(base);
    advice += cat("; for values from ", low, " to ", high,
                  " write minval: ", for_people(std::log(low) / scale),
                  ", maxval: ", for_people(std::log(high) / scale));
  }
  findings.warn(path, cat("samples lie between ", for_people(std::pow(base, low)), " and ",
                          for_people(std::pow(base, high)), ": ", advice));
}

void check_log(const Value& range, const std::string& path, Findings& findings) {
  check_order(range, path, findings);
  const double base = range["base"].as_double();
  const double low = range["minval"].as_double();
  const double high = range["maxval"].as_double();
  if (base == 1) {
    findings.error(schema::child_path(path, "base"), range["base"], "must not be 1");
  } else if (!std::isfinite(std::pow(base, high)) || !std::isfinite(std::pow(base, low))) {
    findings.error(path, range, cat(base, " to the power of ", low, " … ", high, " overflows"),
                   "the bounds of a log range are exponents, not values");
  } else if (low < high) {
    warn_of_values(base, low, high, path, findings);
  }
}

void check_categorical(const Value& choice, const std::string& path, Findings& findings) {
  if (!choice["vals"].as_array().empty()) return;
  findings.error(schema::child_path(path, "vals"), choice["vals"], "must have at least one value");
}

void check_kind(const Value& resolved, const std::string& path, Findings& findings) {
  const std::string& type = resolved["type"].as_string();
  if (type == "int" || type == "double") check_order(resolved, path, findings);
  if (type == "log") check_log(resolved, path, findings);
  if (type == "categorical") check_categorical(resolved, path, findings);
}

Value resolve_hyperparameter(const Value& value, const std::string& path, Findings& findings);

Value resolve_space(const Value& value, const std::string& path, Findings& findings) {
  if (!value.is_object()) return schema::any_map()(value, path, findings);
  Value resolved(Value::Object{});
  for (const auto& [name, member] : value.as_object()) {
    if (name.empty()) findings.error(path, value, "a hyperparameter needs a name");
    resolved.set(name, resolve_hyperparameter(member, schema::child_path(path, name), findings));
  }
  return resolved;
}

schema::Union kinds() {
  const Check whole = schema::integer(-integer_limit, integer_limit);
  const Check real = schema::finite_number();
  const Field whole_min = required("minval", whole, "add the smallest value");
  const Field whole_max = required("maxval", whole, "add the largest value");
  const Field real_min = required("minval", real, "add the lower bound");
  const Field real_max = required("maxval", real, "add the upper bound");
  const Field base{.key = "base", .check = schema::number_above(0), .fallback = Value(10)};
  return {.tag = "type",
          .variants = {{"const",
                        {Field{.key = "val", .check = schema::anything(), .fallback = Value()}}},
                       {"int", {whole_min, whole_max, count_field()}},
                       {"double", {real_min, real_max, count_field()}},
                       {"log", {base, real_min, real_max, count_field()}},
                       {"categorical",
                        {required("vals", schema::any_list(), "add the list of values")}},
                       {"nested", {required("params", resolve_space, "add a map")}}},
          .refused = {},
          .fallback = "",
          .required = "use const, int, double, log or categorical"};
}

Value constant(const Value& value) {
  return Value(Value::Object{{"type", "const"}, {"val", value}});
}

Value resolve_hyperparameter(const Value& value, const std::string& path, Findings& findings) {
  static const Check typed = schema::tagged(kinds(), check_kind);
  if (!value.is_object()) return constant(value);
  const Value* type = value.find("type");
  // A map under "type" is a nested hyperparameter that happens to have this name.
  if (!type || type->is_object()) return resolve_space(value, path, findings);
  return typed(value, path, findings);
}

std::optional<std::int64_t> count_of(const Value& range) {
  if (range["count"].is_null()) return std::nullopt;
  return range["count"].as_int();
}

Hyperparameter hyperparameter_of(const Value& resolved) {
  const Value& type = resolved["type"];
  if (!type.is_string()) return {NestedParameter{space_of(resolved)}};
  const std::string& kind = type.as_string();
  const Value& low = resolved["minval"];
  const Value& high = resolved["maxval"];
  if (kind == "const") return {ConstParameter{resolved["val"]}};
  if (kind == "categorical") return {CategoricalParameter{resolved["vals"].as_array()}};
  if (kind == "nested") return {NestedParameter{space_of(resolved["params"])}};
  const auto count = count_of(resolved);
  if (kind == "int") return {IntParameter{low.as_int(), high.as_int(), count}};
  if (kind == "double") return {DoubleParameter{low.as_double(), high.as_double(), count}};
  VERIFY(kind == "log", "hyperparameter type ", kind);
  return {LogParameter{resolved["base"].as_double(), low.as_double(), high.as_double(), count}};
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product);
  return overflow ? std::numeric_limits<std::int64_t>::max() : product;
}

std::int64_t axis_size(const Hyperparameter& parameter) {
  return std::visit(Overload{[](const ConstParameter&) { return std::int64_t{1}; },
                             [](const IntParameter& p) {
                               return std::min(p.count.value_or(1), p.maxval - p.minval + 1);
                             },
                             [](const DoubleParameter& p) { return p.count.value_or(1); },
                             [](const LogParameter& p) { return p.count.value_or(1); },
                             [](const CategoricalParameter& p) {
                               return static_cast<std::int64_t>(p.vals.size());
                             },
                             [](const NestedParameter& p) { return grid_size(p.params); }},
                    parameter.kind);
}

bool lacks_count(const Hyperparameter& parameter) {
  return std::visit(Overload{[](const ConstParameter&) { return false; },
                             [](const IntParameter& p) { return !p.count; },
                             [](const DoubleParameter& p) { return !p.count; },
                             [](const LogParameter& p) { return !p.count; },
                             [](const CategoricalParameter&) { return false; },
                             [](const NestedParameter&) { return false; }},
                    parameter.kind);
}

void check_counts(const HyperparameterSpace& space, const std::string& path, Findings& findings) {
  for (const auto& [name, parameter] : space) {
    const std::string place = schema::child_path(path, name);
    if (lacks_count(parameter)) {
      findings.error(schema::child_path(place, "count"), Value(),
                     "required by the grid searcher but missing",
                     "add count: N, the number of points on this axis");
    }
    if (const auto* nested = std::get_if<NestedParameter>(&parameter.kind)) {
      check_counts(nested->params, place, findings);
    }
  }
}

}  // namespace

Check hyperparameter_schema() { return resolve_hyperparameter; }
Check hyperparameter_space_schema() { return resolve_space; }

HyperparameterSpace space_of(const Value& resolved) {
  HyperparameterSpace space;
  for (const auto& [name, member] : resolved.as_object()) {
    space.emplace(name, hyperparameter_of(member));
  }
  return space;
}

void check_grid(const HyperparameterSpace& space, const std::string& path, Findings& findings) {
  check_counts(space, path, findings);
  const std::int64_t points = grid_size(space);
  if (points <= max_trials_limit) return;
  findings.error(path, Value(),
                 cat("the grid has ", points, " points, the limit is ", max_trials_limit),
                 "lower some count, or use the random searcher");
}

Result<HyperparameterSpace> parse_hyperparameters(const Value& space) {
  Findings findings;
  const Value resolved = resolve_space(space, "hyperparameters", findings);
  if (!findings.errors.empty()) return findings.errors.front();
  return space_of(resolved);
}

std::int64_t grid_size(const HyperparameterSpace& space) {
  std::int64_t points = 1;
  for (const auto& [name, parameter] : space) {
    points = saturating_product(points, axis_size(parameter));
  }
  return points;
}

}  // namespace dt::core
