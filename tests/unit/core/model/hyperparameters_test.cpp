#include "core/model/hyperparameters.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/model/config.h"
#include "formats/json.h"
#include "formats/yaml.h"

namespace dt::core {
namespace {

HyperparameterSpace space(const std::string& yaml) {
  const Result<HyperparameterSpace> result = parse_hyperparameters(parse_yaml(yaml)->value);
  VERIFY(result.ok(), result.status().text());
  return *result;
}

std::string error(const std::string& yaml) {
  return parse_hyperparameters(parse_yaml(yaml)->value).status().text();
}

std::string config_errors(const std::string& searcher, const std::string& hyperparameters) {
  const std::string yaml = "entrypoint: a\nsearcher: {metric: m, name: " + searcher +
                           "}\nhyperparameters: " + hyperparameters;
  std::string text;
  for (const Status& status : check_config(parse_yaml(yaml)->value)) text += status.text() + "\n";
  return text;
}

std::string warnings(const std::string& hyperparameters) {
  const std::string yaml =
      "entrypoint: a\nsearcher: {metric: m, name: single}\nhyperparameters: " + hyperparameters;
  std::string text;
  const Result<ParsedConfig> config = parse_config(parse_yaml(yaml)->value, {});
  for (const std::string& warning : config->warnings) text += warning;
  return text;
}

TEST(Hyperparameters, BareValuesAreConstants) {
  const HyperparameterSpace expected = {
      {"a", {ConstParameter{Value(1)}}},
      {"b", {ConstParameter{Value("x")}}},
      {"c", {ConstParameter{Value(Value::Array{1, 2})}}},
      {"d", {ConstParameter{Value()}}},
      {"e", {ConstParameter{Value(Value::Object{{"k", 1}})}}},
  };
  EXPECT_EQ(space("{a: 1, b: x, c: [1, 2], d: null, e: {type: const, val: {k: 1}}}"), expected);
}

TEST(Hyperparameters, EveryType) {
  const HyperparameterSpace expected = {
      {"c", {CategoricalParameter{{Value("x"), Value(2), Value()}}}},
      {"d", {DoubleParameter{.minval = 0, .maxval = 1.5, .count = std::nullopt}}},
      {"i", {IntParameter{.minval = -2, .maxval = 3, .count = 4}}},
      {"l", {LogParameter{.base = 2, .minval = -3, .maxval = -1, .count = 5}}},
  };
  EXPECT_EQ(space("{c: {type: categorical, vals: [x, 2, null]},"
                  " d: {type: double, minval: 0, maxval: 1.5},"
                  " i: {type: int, minval: -2, maxval: 3, count: 4},"
                  " l: {type: log, base: 2, minval: -3, maxval: -1, count: 5}}"),
            expected);
}

TEST(Hyperparameters, MapsNest) {
  const HyperparameterSpace inner = {{"rate", {ConstParameter{Value(0.5)}}}};
  const HyperparameterSpace expected = {{"drop", {NestedParameter{inner}}},
                                        {"none", {NestedParameter{}}}};
  EXPECT_EQ(space("{drop: {rate: 0.5}, none: {}}"), expected);
  EXPECT_EQ(space("{drop: {type: nested, params: {rate: 0.5}}, none: {}}"), expected);
}

TEST(Hyperparameters, ANestedHyperparameterMayBeCalledType) {
  const HyperparameterSpace inner = {{"type", {CategoricalParameter{{Value("adam")}}}}};
  EXPECT_EQ(space("optimizer: {type: {type: categorical, vals: [adam]}}"),
            (HyperparameterSpace{{"optimizer", {NestedParameter{inner}}}}));
}

TEST(Hyperparameters, ErrorsNameThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1]", "hyperparameters: expected a map, got list of 1 item"},
      {"a: {type: adam}",
       "hyperparameters.a.type: unknown type \"adam\" (use one of: categorical, const, double, "
       "int, log, nested)"},
      {"a: {type: dubble}",
       "hyperparameters.a.type: unknown type \"dubble\" (did you mean \"double\"?)"},
      {"a: {type: 3}", "hyperparameters.a.type: expected a string, got integer 3"},
      {"a: {type: int, minval: 1}",
       "hyperparameters.a.maxval: required but missing (add the largest value)"},
      {"a: {type: int, minval: 1, maxval: 2.5}",
       "hyperparameters.a.maxval: expected an integer, got number 2.5"},
      {"a: {type: int, minval: 2, maxval: 2}",
       "hyperparameters.a: minval must be less than maxval, got 2 and 2 (for a fixed value write "
       "it without a type)"},
      {"a: {b: {type: double, minval: 2, maxval: 1}}",
       "hyperparameters.a.b: minval must be less than maxval, got 2 and 1 (for a fixed value write "
       "it without a type)"},
      {"a: {type: double, minval: .nan, maxval: 1}",
       "hyperparameters.a.minval: must be finite, got nan"},
      {"a: {type: int, minval: 0, maxval: 1, count: 0}",
       "hyperparameters.a.count: must be at least 1, got 0"},
      {"a: {type: int, minval: 0, maxval: 1, base: 3}",
       "hyperparameters.a.base: has no use with type: int, got integer 3 (it is a key of type: "
       "log)"},
      {"a: {type: int, min: 0, maxval: 1, minval: 0}",
       "hyperparameters.a.min: unknown key, with value integer 0 (known keys here: type, minval, "
       "maxval, count)"},
      {"a: {type: log, base: 0, minval: 0, maxval: 1}",
       "hyperparameters.a.base: must be greater than 0, got 0"},
      {"a: {type: log, base: 1, minval: 0, maxval: 1}", "hyperparameters.a.base: must not be 1"},
      {"a: {type: log, minval: 16, maxval: 512}",
       "hyperparameters.a: 10 to the power of 16 … 512 overflows (the bounds of a log range are "
       "exponents, not values)"},
      {"a: {type: categorical, vals: []}", "hyperparameters.a.vals: must have at least one value"},
      {"a: {type: int, minval: -9223372036854775807, maxval: 1}",
       "hyperparameters.a.minval: must be between -4611686018427387904 and 4611686018427387904, "
       "got -9223372036854775807"},
      {"'': 1", "hyperparameters: a hyperparameter needs a name"},
  };
  for (const auto& [yaml, message] : cases) EXPECT_EQ(error(yaml), message) << yaml;
}

TEST(Hyperparameters, GridNeedsACountOnEveryRange) {
  EXPECT_EQ(config_errors("grid",
                          "{b: {a: {type: double, minval: 0, maxval: 1}}, i: {type: int, "
                          "minval: 0, maxval: 1}, c: {type: categorical, vals: [1]}}"),
            "hyperparameters.b.a.count: required by the grid searcher but missing (add count: N, "
            "the number of points on this axis)\n"
            "hyperparameters.i.count: required by the grid searcher but missing (add count: N, the "
            "number of points on this axis)\n");
  EXPECT_EQ(config_errors("random, max_trials: 1", "{i: {type: int, minval: 0, maxval: 1}}"), "");
}

TEST(Hyperparameters, GridIsCheckedBesideOtherErrors) {
  const std::string yaml =
      "searcher: {metric: m, name: grid}\nhyperparameters: {i: {type: int, minval: 0, maxval: 1}}";
  const auto errors = check_config(parse_yaml(yaml)->value);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].detail().path, "entrypoint");
  EXPECT_EQ(errors[1].detail().path, "hyperparameters.i.count");
}

TEST(Hyperparameters, GridHasALimit) {
  const std::string axis = "{type: double, minval: 0, maxval: 1, count: 1000000}";
  EXPECT_EQ(config_errors("grid", "{a: " + axis + "}"),
            "hyperparameters: the grid has 1000000 points, the limit is 100000 (lower some count, "
            "or use the random searcher)\n");
  EXPECT_EQ(
      config_errors("grid", "{a: " + axis + ", b: " + axis + ", c: " + axis + ", d: " + axis + "}"),
      "hyperparameters: the grid has 9223372036854775807 points, the limit is 100000 (lower "
      "some count, or use the random searcher)\n");
}

TEST(Hyperparameters, GridSizeIsTheProductOfItsAxes) {
  EXPECT_EQ(grid_size({}), 1);
  EXPECT_EQ(grid_size(space("{a: 1, b: {type: categorical, vals: [1, 2]}, c: {d: {type: double, "
                            "minval: 0, maxval: 1, count: 3}, e: {}}}")),
            6);
  EXPECT_EQ(grid_size(space("{a: {type: int, minval: 0, maxval: 3, count: 100}}")), 4);
}

TEST(Hyperparameters, WarnsOfLogBoundsThatLookLikeValues) {
  EXPECT_EQ(warnings("{lr: {type: log, minval: 0.0001, maxval: 0.1}}"),
            "hyperparameters.lr: samples lie between 1.0002 and 1.2589: the bounds of a log range "
            "are exponents, not values; for values from 1e-04 to 0.1 write minval: -4, maxval: -1");
  EXPECT_EQ(warnings("{width: {type: log, base: 2, minval: 16, maxval: 512}}"),
            "hyperparameters.width: samples lie between 65536 and 1.3407807929942597e+154: the "
            "bounds of a log range are exponents, not values; for values from 16 to 512 write "
            "minval: 4, maxval: 9");
  EXPECT_EQ(warnings("{lr: {type: log, minval: -5, maxval: -1}, n: {type: log, base: 2, minval: 4, "
                     "maxval: 10}, z: {type: log, minval: -1, maxval: 1}}"),
            "");
}

}  // namespace
}  // namespace dt::core
