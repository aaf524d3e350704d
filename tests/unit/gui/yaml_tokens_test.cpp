#include "gui/data/yaml_tokens.h"

#include <gtest/gtest.h>

#include "formats/yaml.h"
#include "gui/data/yaml_text.h"

namespace dt::gui {
namespace {

// "key:name mark:: number:8" of a line, so that a test reads as what is seen.
std::string seen(const QString& line, int block_indent = -1) {
  static const char* const names[] = {"key", "text", "number", "constant", "comment", "mark"};
  std::string words;
  for (const YamlSpan& span : yaml_spans(line, block_indent)) {
    if (!words.empty()) words += ' ';
    words += names[static_cast<int>(span.tone)];
    words += '=' + line.mid(span.start, span.length).toStdString();
  }
  return words;
}

TEST(YamlTokens, TellKeysFromValues) {
  EXPECT_EQ(seen("name: fashion-mnist"), "key=name mark=: text=fashion-mnist");
  EXPECT_EQ(seen("  max_trials: 12"), "key=max_trials mark=: number=12");
  EXPECT_EQ(seen("lr: 1e-3  # slow"), "key=lr mark=: number=1e-3 comment=# slow");
  EXPECT_EQ(seen("smaller_is_better: false"), "key=smaller_is_better mark=: constant=false");
  EXPECT_EQ(seen("- a b"), "mark=- text=a b");
}

TEST(YamlTokens, ReadFlowsAndQuotes) {
  EXPECT_EQ(seen("{type: log, vals: [1, two]}"),
            "mark={ key=type mark=: text=log mark=, key=vals mark=: mark=[ number=1 mark=, text=two "
            "mark=] mark=}");
  EXPECT_EQ(seen("a: \"x: # y\" # z"), "key=a mark=: text=\"x: # y\" comment=# z");
  EXPECT_EQ(seen("'odd key': 1"), "key='odd key' mark=: number=1");
  EXPECT_EQ(seen("url: http://host:80/#here"), "key=url mark=: text=http://host:80/#here");
}

TEST(YamlTokens, FollowBlockText) {
  int indent = -1;
  EXPECT_EQ(yaml_spans("  prepare: |", indent).size(), 3u);
  EXPECT_EQ(indent, 2);
  EXPECT_EQ(yaml_spans("    make: all", indent).front().tone, YamlTone::text);
  EXPECT_TRUE(yaml_spans("", indent).empty());
  EXPECT_EQ(yaml_spans("  next: 1", indent).front().tone, YamlTone::key);
  EXPECT_EQ(indent, -1);
}

TEST(YamlTokens, SurviveAnything) {
  for (const char* text : {"\"never closed", "'", "\"\\", "{{{{", "]]]", ": :", "#", "- - -", "\t:"}) {
    int indent = -1;
    yaml_spans(text, indent);
  }
}

TEST(YamlIndent, IsDeeperAfterAKeyThatIsOpen) {
  EXPECT_EQ(yaml_indent_after("searcher:"), 2);
  EXPECT_EQ(yaml_indent_after("  searcher:  # which"), 4);
  EXPECT_EQ(yaml_indent_after("  name: x"), 2);
  EXPECT_EQ(yaml_indent_after("prepare: |"), 2);
  EXPECT_EQ(yaml_indent_after(""), 0);
}

TEST(YamlText, ReadsBackAsTheSameValue) {
  const Value value = Value::Object{
      {"name", "plain words"},
      {"odd", Value::Array{"yes", "1e3", "a: b", "# c", "", " x", "null", "-", "ü\n"}},
      {"nested", Value::Object{{"empty", Value::Object{}}, {"list", Value::Array{}}, {"n", 0.001}}},
      {"deep", Value::Array{Value::Object{{"a", 1}}, Value::Array{Value::Array{2}}}},
      {"none", nullptr},
      {"yes", true}};
  const QString text = to_yaml(value);
  const auto back = parse_yaml(text.toStdString());
  ASSERT_TRUE(back.ok()) << back.status().text() << "\n" << text.toStdString();
  EXPECT_EQ(back->value, value) << text.toStdString();
}

}  // namespace
}  // namespace dt::gui
