#include "formats/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dt {
namespace {

// The text after reading and writing, or the error.
std::string round_trip(std::string_view text) {
  const Result<Value> value = parse_json(text);
  return value.ok() ? to_json(*value) : value.status().text();
}

TEST(Json, WritesKeysSortedAndCompact) {
  EXPECT_EQ(round_trip(R"( {"b": [1, true, null], "a": {"y": "", "x": {}}, "c": []} )"),
            R"({"a":{"x":{},"y":""},"b":[1,true,null],"c":[]})");
}

TEST(Json, KeepsEveryInt64) {
  EXPECT_EQ(round_trip("[9223372036854775807,-9223372036854775808,9007199254740993]"),
            "[9223372036854775807,-9223372036854775808,9007199254740993]");
}

TEST(Json, MakesIntegersBeyondInt64Doubles) {
  EXPECT_EQ(*parse_json("9223372036854775808"), Value(9223372036854775808.0));
  EXPECT_EQ(*parse_json("-9223372036854775809"), Value(-9223372036854775808.0));
}

TEST(Json, KeepsEveryDouble) {
  for (const double number : {0.1, 1e-320, 2.2250738585072014e-308, 1.7976931348623157e308, -0.0,
                              5e-324, 3.0, 1e21, 123456789012345680.0}) {
    const Value back = *parse_json(to_json(Value(number)));
    ASSERT_TRUE(back.is_double()) << number;
    EXPECT_EQ(back.as_double(), number);
    EXPECT_EQ(std::signbit(back.as_double()), std::signbit(number));
  }
}

TEST(Json, WritesNonFiniteNumbersAsWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_json(Value(Value::Array{std::nan(""), infinity, -infinity})),
            R"(["NaN","Infinity","-Infinity"])");
}

TEST(Json, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(to_json(Value("\"\\\n\r\t\x01\x7fé")), "\"\\\"\\\\\\n\\r\\t\\u0001\x7fé\"");
  EXPECT_EQ(*parse_json(to_json(Value("\"\\\n\x01é"))), Value("\"\\\n\x01é"));
}

TEST(Json, WritesInvalidUtf8AsReplacementCharacters) {
  EXPECT_EQ(to_json(Value("a\xff\xc3z")), "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
}

TEST(Json, PrettyTextHasTwoSpacesALevel) {
  EXPECT_EQ(to_json_pretty(*parse_json(R"({"a":[1,{"b":2}],"c":{}})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": {}\n}");
}

TEST(Json, NamesTheLineOfAnError) {
  const Result<Value> value = parse_json("{\n  \"a\": 1,\n  \"b\": x\n}");
  EXPECT_EQ(value.status().code(), Code::invalid_argument);
  EXPECT_EQ(value.status().detail().line, 3);
}

TEST(Json, RefusesWhatIsNoJson) {
  for (const char* text : {"", "nul", "1 2", "[1,]", "{a: 1}", "[1", "\"\xff\"", "NaN", "01", "'a'",
                           "[}", "\"\\ud800\""}) {
    EXPECT_FALSE(parse_json(text).ok()) << text;
  }
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_EQ(round_trip(R"({"a": 1, "b": {"c": 1, "c": 2}})"), "JSON: duplicate key \"c\"");
}

TEST(Json, RefusesTextAfterANulByte) {
  EXPECT_EQ(round_trip(std::string_view("{}\0garbage", 10)), "JSON: NUL byte at offset 2");
}

TEST(Json, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(round_trip("1e999"), "JSON: number overflow parsing '1e999'");
}

TEST(Json, ReadsSixtyFourLevelsAndNoMore) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(round_trip(nested(64)), nested(64));
  EXPECT_EQ(round_trip(nested(65)), "JSON: nested deeper than 64 levels");
  EXPECT_EQ(round_trip(std::string(1'000'000, '[')), "JSON: nested deeper than 64 levels");
}

}  // namespace
}  // namespace dt
