#include "core/experiment/filter.h"

#include <gtest/gtest.h>

#include "core/experiment/filter_columns.h"
#include "core/experiment/filter_text.h"
#include "formats/json.h"

namespace dt::core {
namespace {

const Value& a_trial() {
  static const Value values =
      parse_json(R"({"number": 3, "state": "COMPLETED", "best_metric": 0.25, "message": "",
                     "hparams": {"lr": 0.01, "net": {"kind": "ResNet", "depth": 18}, "a.b": 1},
                     "labels": ["nightly", "x y"], "created": "2026-12-01T04:30:00Z"})")
          .value();
  return values;
}

bool passes(const std::string& text) {
  const auto filter = parse_filter(text);
  EXPECT_TRUE(filter.ok()) << text << ": " << filter.status().text();
  return filter.ok() && matches(*filter, a_trial());
}

std::string problem(const std::string& text) { return parse_filter(text).status().message(); }

TEST(Filter, ComparesNumbers) {
  EXPECT_TRUE(passes("hparams.lr <= 0.01"));
  EXPECT_TRUE(passes("hparams.lr = 1e-2"));
  EXPECT_TRUE(passes("number >= 3 and number < 3.5"));
  EXPECT_FALSE(passes("hparams.lr < 0.01"));
  EXPECT_FALSE(passes("number != 3"));
  EXPECT_FALSE(passes("number > abc"));
}

TEST(Filter, ComparesTextWithoutCase) {
  EXPECT_TRUE(passes("state = completed"));
  EXPECT_TRUE(passes("hparams.net.kind contains resn"));
  EXPECT_TRUE(passes("hparams.net.kind not contains vgg"));
  EXPECT_FALSE(passes("hparams.net.kind = res"));
}

TEST(Filter, ADateIsItsFirstMoment) {
  EXPECT_TRUE(passes("created >= 2026-12-01 and created < 2026-12-02"));
  EXPECT_FALSE(passes("created < 2026-12-01T04:30:00Z"));
}

TEST(Filter, OneElementOfAListIsEnough) {
  EXPECT_TRUE(passes("labels = nightly"));
  EXPECT_TRUE(passes("labels = 'x y'"));
  EXPECT_TRUE(passes("labels contains night"));
  EXPECT_FALSE(passes("labels != nightly"));
  EXPECT_FALSE(passes("labels is empty"));
}

TEST(Filter, WhatIsNotThereMeetsOnlyTheOppositesOfBeingThere) {
  for (const char* yes : {"hparams.no is empty", "hparams.no != 1", "hparams.no not contains a"}) {
    EXPECT_TRUE(passes(yes)) << yes;
  }
  for (const char* no : {"hparams.no = 1", "hparams.no < 1", "hparams.no >= 1",
                         "hparams.no contains a", "hparams.no is not empty"}) {
    EXPECT_FALSE(passes(no)) << no;
  }
  EXPECT_TRUE(passes("message is empty"));
}

TEST(Filter, ANameMayHaveDots) { EXPECT_TRUE(passes("hparams.a.b = 1")); }

TEST(Filter, AndBindsCloserThanOr) {
  EXPECT_TRUE(passes("number = 3 or number = 4 and state = error"));
  EXPECT_FALSE(passes("(number = 3 or number = 4) and state = error"));
  EXPECT_TRUE(passes("  "));
}

TEST(Filter, ErrorsNameThePlace) {
  EXPECT_EQ(problem("number >= 3 state = error"),
            "filter: at 13, expected “and”, “or” or the end, got \"state\"");
  EXPECT_EQ(problem("number"),
            "filter: at 7, expected =, !=, <, <=, >, >=, contains, not contains, "
            "is empty or is not empty, got the end");
  EXPECT_EQ(problem("number ="),
            "filter: at 9, expected a value to compare number with, got the end");
  EXPECT_EQ(problem("(number = 3"), "filter: at 12, expected “)”, got the end");
  EXPECT_EQ(problem("name = 'a"), "filter: at 8, the quote is not closed");
  EXPECT_EQ(problem("number is 3"), "filter: at 11, expected “empty”, got \"3\"");
  EXPECT_EQ(problem(std::string(100, '(')), "filter: at 34, the brackets lie too deep");
}

TEST(Filter, JsonAndTextAreTheSameTree) {
  const auto json = parse_json(
      R"({"filterGroup": {"kind": "group", "conjunction": "or", "children": [
           {"kind": "field", "columnName": "hparams.lr", "operator": "<=", "value": 0.01},
           {"kind": "group", "conjunction": "and", "children": [
             {"kind": "field", "columnName": "state", "operator": "=", "value": "error"},
             {"kind": "field", "columnName": "labels", "operator": "notContains", "value": "x"}]}
         ]}, "showArchived": false})");
  EXPECT_EQ(*filter_of(*json),
            *parse_filter("hparams.lr <= 0.01 or (state = error and labels not contains x)"));
}

TEST(Filter, JsonErrorsNameThePlace) {
  const auto told = [](const char* child) {
    const std::string text = cat(
        R"({"filterGroup": {"kind": "group", "conjunction": "and", "children": [)", child, "]}}");
    return filter_of(*parse_json(text)).status().message();
  };
  EXPECT_EQ(told(R"({"kind": "field", "columnName": "a", "operator": "like"})"),
            "filter: filterGroup.children[0].operator \"like\" is no operator");
  EXPECT_EQ(told(R"({"kind": "field", "operator": "="})"),
            "filter: filterGroup.children[0].columnName must be a text");
  EXPECT_EQ(told("3"), "filter: filterGroup.children[0].kind must be a text");
}

TEST(FilterColumns, DeterminedsNamesAreUnderstood) {
  const auto filter =
      with_known_columns(*parse_filter("hp.lr = 1 and resourcePool = default"), FilterRows::trials);
  EXPECT_EQ(*filter, *parse_filter("hparams.lr = 1 and pool = default"));
}

TEST(FilterColumns, AnUnknownColumnIsToldWithTheNearestOne) {
  const auto filter = with_known_columns(*parse_filter("stat = error"), FilterRows::trials);
  EXPECT_EQ(filter.status().text(), "filter: there is no column stat (did you mean state?)");
  const auto of_trial = with_known_columns(*parse_filter("hparams.a = 1"), FilterRows::experiments);
  EXPECT_EQ(of_trial.status().message(), "filter: there is no column hparams.a");
  const auto alone = with_known_columns(*parse_filter("hparams = 1"), FilterRows::trials);
  EXPECT_EQ(alone.status().text(),
            "filter: there is no column hparams (did you mean hparams.NAME?)");
}

TEST(FilterColumns, EveryColumnOfATrialHasAValueAndTheReverse) {
  ExperimentRow experiment{.id = {7}, .owner = "ada"};
  experiment.config = *parse_json(
      R"({"labels": ["a"], "resources": {"resource_pool": "gpus"}, "searcher": {"name": "grid"}})");
  const TrialRow trial{.id = {70},
                       .experiment = {7},
                       .number = 2,
                       .hparams = Value::Object{},
                       .created_ms = 1'764'563'400'000};
  const auto check = [&](const char* text, bool expected) {
    const auto filter = with_known_columns(*parse_filter(text), FilterRows::trials);
    ASSERT_TRUE(filter.ok()) << filter.status().text();
    EXPECT_EQ(matches(*filter, filter_values(trial, experiment)), expected) << text;
  };
  check("owner = ada and pool = gpus and labels = a and searcher = grid", true);
  check("id = 70 and experiment = 7 and number = 2", true);
  check("created = 2025-12-01T04:30:00Z and ended is empty", true);
  check("best_metric is empty and latest_metric is empty", true);
  check("config.searcher.name = grid", true);
  const Value values = filter_values(trial, experiment);
  for (const auto& [column, value] : values.as_object()) {
    if (column == "metric" || column == "best_trial" || column == "forked_from") continue;
    const bool has_members = column == "hparams" || column == "config";
    check(cat(column, has_members ? ".x" : "", " = nothing-like-it").c_str(), false);
  }
}

}  // namespace
}  // namespace dt::core
