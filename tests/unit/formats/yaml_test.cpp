#include "formats/yaml.h"

#include <gtest/gtest.h>

#include "formats/json.h"

namespace dt {
namespace {

// What the YAML means, as JSON; or the error.
std::string meaning(std::string_view yaml) {
  const Result<YamlDocument> document = parse_yaml(yaml);
  return document.ok() ? to_json(document->value) : document.status().text();
}

TEST(Yaml, PlainScalarsFollowTheCoreSchema) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"true", "true"},
      {"False", "false"},
      {"yes", "\"yes\""},
      {"no", "\"no\""},
      {"on", "\"on\""},
      {"off", "\"off\""},
      {"y", "\"y\""},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"012", "12"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"0b11", "\"0b11\""},
      {"1_000", "\"1_000\""},
      {"1:30", "\"1:30\""},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"5.", "5.0"},
      {"1e-3", "0.001"},
      {"1e3", "1000.0"},
      {"-1.5E+2", "-150.0"},
      {".inf", "\"Infinity\""},
      {"-.Inf", "\"-Infinity\""},
      {".nan", "\"NaN\""},
      {"nan", "\"nan\""},
      {"+", "\"+\""},
      {".", "\".\""},
      {"e3", "\"e3\""},
      {"1e", "\"1e\""},
      {"2024-01-01", "\"2024-01-01\""},
      {"1.2.3", "\"1.2.3\""},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808.0"},
  };
  for (const auto& [yaml, json] : cases) EXPECT_EQ(meaning(yaml), json) << yaml;
}

TEST(Yaml, QuotedScalarsAreStrings) {
  EXPECT_EQ(meaning("['1', \"true\", 'null', \"\"]"), R"(["1","true","null",""])");
  EXPECT_EQ(meaning("a: |\n  12\n"), R"({"a":"12\n"})");
}

TEST(Yaml, CoreTagsSelectTheType) {
  EXPECT_EQ(meaning("[!!str 5, !!float 5, !!int '5', ! 5]"), R"(["5",5.0,5,"5"])");
  EXPECT_EQ(meaning("a: !!int x"), "YAML line 1: \"x\" is no int");
}

TEST(Yaml, EmptyTextIsNull) {
  EXPECT_EQ(meaning(""), "null");
  EXPECT_EQ(meaning("# only a comment\n"), "null");
  EXPECT_EQ(meaning("a:\nb: 1"), R"({"a":null,"b":1})");
}

TEST(Yaml, KeysAreTheirText) { EXPECT_EQ(meaning("{1: a, true: b}"), R"({"1":"a","true":"b"})"); }

TEST(Yaml, AliasesRepeatTheirAnchor) {
  EXPECT_EQ(meaning("a: &x [1, 2]\nb: *x"), R"({"a":[1,2],"b":[1,2]})");
}

TEST(Yaml, MergeKeysFillWhatIsMissing) {
  EXPECT_EQ(meaning("base: &b {p: 1, q: 2}\nuse:\n  q: 3\n  <<: *b\n"),
            R"({"base":{"p":1,"q":2},"use":{"p":1,"q":3}})");
  EXPECT_EQ(meaning("- &a {p: 1}\n- &b {p: 2, q: 2}\n- {<<: [*a, *b]}\n"),
            R"([{"p":1},{"p":2,"q":2},{"p":1,"q":2}])");
  EXPECT_EQ(meaning("<<: 3"), "YAML line 1: \"<<\" needs a map or a list of maps");
}

TEST(Yaml, TellsTheLineOfKeysAndItems) {
  const YamlDocument document =
      *parse_yaml("name: x\n\nsearcher:\n  name: single\nlabels:\n- a\n- b\n");
  EXPECT_EQ(document.line_of("searcher"), 3);
  EXPECT_EQ(document.line_of("searcher.name"), 4);
  EXPECT_EQ(document.line_of("searcher.metric"), 3);  // missing: its parent's
  EXPECT_EQ(document.line_of("labels[1]"), 7);
  EXPECT_EQ(document.line_of("labels[1].deep[3].key"), 7);
  EXPECT_EQ(document.line_of("unknown"), 0);
}

TEST(Yaml, RefusesWithTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\nb: 2\na: 3\n", "YAML line 3: duplicate key \"a\""},
      {"a: 1\n--- \nb: 2\n", "YAML has several documents, expected one"},
      {"a:\n  - !secret x\n", "YAML line 2: tag !secret is not supported"},
      {"? [a]\n: 1\n", "YAML line 1: a key must be a scalar, not a map or a list"},
      {"a: &x [*x]\n", "YAML line 1: an alias lies inside its own anchor"},
      {"a: 1e999\n", "YAML line 1: number 1e999 does not fit a double"},
      {"a: 1\nb: \x04\n", "YAML line 2: control character 4"},
      {"a: \xff\n", "YAML is not valid UTF-8"},
  };
  for (const auto& [yaml, message] : cases) EXPECT_EQ(meaning(yaml), message) << yaml;
}

TEST(Yaml, RefusesAnAliasWithoutAnchor) {  // the text is yaml-cpp's and differs by version
  EXPECT_EQ(meaning("a: *nothing\n").rfind("YAML line 1: the referenced anchor is not defined", 0),
            0u);
}

TEST(Yaml, KeepsTheLineOfASyntaxErrorInTheDetail) {
  const Result<YamlDocument> document = parse_yaml("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_EQ(document.status().code(), Code::invalid_argument);
  EXPECT_GE(document.status().detail().line, 2);
}

TEST(Yaml, RefusesTextThatGrowsByAliases) {
  std::string yaml = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = cat("*a", i - 1, ", ");
    yaml += cat("a", i, ": &a", i, " [");
    for (int k = 0; k < 10; ++k) yaml += before;
    yaml += "0]\n";
  }
  EXPECT_EQ(meaning(yaml), "YAML line 6: more than 200000 values");
}

TEST(Yaml, RefusesTooMuchDepthAndText) {
  EXPECT_EQ(meaning(std::string(64, '[') + std::string(64, ']')).size(), 128u);
  EXPECT_EQ(meaning(std::string(65, '[') + std::string(65, ']')),
            "YAML line 1: nested deeper than 64 levels");
  EXPECT_EQ(meaning(std::string(1 << 20, ' ') + "a"),
            "YAML of 1048577 bytes is over the limit of 1048576");
}

TEST(Yaml, TakesMoreWhereItIsTold) {
  const std::string text = std::string(1 << 20, ' ') + "a";
  EXPECT_EQ(parse_yaml(text, {.max_bytes = 2 << 20})->value, Value("a"));
}

}  // namespace
}  // namespace dt
