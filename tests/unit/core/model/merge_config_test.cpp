// One configuration laid over another; the oracle has the rules' own cases.
#include "core/model/merge_config.h"

#include <gtest/gtest.h>

#include "formats/json.h"
#include "formats/yaml.h"

namespace dt::core {
namespace {

std::string merged(const std::string& above, const std::string& base) {
  return to_json(merge_config(parse_yaml(above)->value, parse_yaml(base)->value));
}

TEST(MergeConfig, WhatIsSaidAboveWinsKeyByKey) {
  EXPECT_EQ(merged("{a: 1, m: {x: 1}}", "{a: 2, b: 3, m: {x: 2, y: 3}}"),
            R"({"a":1,"b":3,"m":{"x":1,"y":3}})");
  EXPECT_EQ(merged("{labels: [a]}", "{labels: [b, c]}"), R"({"labels":["a"]})") << "lists replace";
  EXPECT_EQ(merged("{a: null}", "{a: 2}"), R"({"a":2})");
}

TEST(MergeConfig, VariablesAndMountsAddUp) {
  EXPECT_EQ(merged("{environment: {environment_variables: [A=1]}}",
                   "{environment: {environment_variables: [B=2]}}"),
            R"({"environment":{"environment_variables":["A=1","B=2"]}})");
  EXPECT_EQ(
      merged("{resources: {devices: ['/a:/x']}}", "{resources: {devices: ['/b:/x', '/b:/y']}}"),
      R"({"resources":{"devices":["/a:/x","/b:/y"]}})");
}

TEST(MergeConfig, AnotherSearcherKeepsOnlyWhatAllHave) {
  EXPECT_EQ(
      merged("{searcher: {name: single}}", "{searcher: {name: random, max_trials: 9, metric: m}}"),
      R"({"searcher":{"metric":"m","name":"single"}})");
  EXPECT_EQ(merged("{searcher: {max_trials: 3}}", "{searcher: {name: random, max_trials: 9}}"),
            R"({"searcher":{"max_trials":3,"name":"random"}})");
}

TEST(MergeConfig, AHyperparameterIsOneThing) {
  EXPECT_EQ(
      merged("{hyperparameters: {lr: {type: int, minval: 1, maxval: 2}, net: {a: 1}}}",
             "{hyperparameters: {lr: {type: int, minval: 0, maxval: 9, count: 3}, net: {b: 2}}}"),
      R"({"hyperparameters":{"lr":{"maxval":2,"minval":1,"type":"int"},"net":{"a":1,"b":2}}})");
}

}  // namespace
}  // namespace dt::core
