#include "shim/rank_message.h"

#include <gtest/gtest.h>

#include "base/overload.h"
#include "formats/json.h"

namespace dt::shim {
namespace {

std::string read(std::string_view line) {
  return std::visit(
      Overload{
          [](const Hello& one) { return cat("hello rank ", one.rank, " ", to_json(one.body)); },
          [](const Message& one) {
            return cat(core::to_text(one.kind), " ", one.seq, " ", to_json(one.body));
          },
          [](const Refusal& one) { return cat(one.code, ": ", one.message); },
      },
      parse_rank_line(line));
}

TEST(RankMessage, HelloMayTellItsSoftwareWithinLimits) {
  const auto hello = [](const std::string& software) {
    return read(cat(R"({"type":"hello","protocol":1,"rank":2,"token":"t","software":)", software,
                    "}"));
  };
  EXPECT_EQ(hello(R"({"libtorch":"2.11.0"})"),
            R"(hello rank 2 {"software":{"libtorch":"2.11.0"}})");
  EXPECT_EQ(hello("\"all of it\""), "hello rank 2 {}");
  EXPECT_EQ(hello(cat("{\"a\":\"", std::string(70'000, 'x'), "\"}")), "hello rank 2 {}");
}

TEST(RankMessage, HelloMayNameItsFirstStep) {
  EXPECT_EQ(read(R"({"type":"hello","protocol":1,"rank":2,"token":"t","pid":9})"),
            "hello rank 2 {}");
  EXPECT_EQ(read(R"({"type":"hello","protocol":1,"rank":2,"token":"t","start_step":40})"),
            R"(hello rank 2 {"start_step":40})");
  EXPECT_EQ(read(R"({"type":"hello","protocol":1,"rank":"x","token":"t"})"),
            "invalid_message: hello: rank must be an integer, got \"x\"");
}

TEST(RankMessage, MetricsTakeNumbersAndTypedObjects) {
  EXPECT_EQ(read(R"({"type":"metrics","seq":1,"group":"g","step":3,
                     "values":{"a":1,"b":"-Infinity","c":{"type":"text","text":"hi"}}})"),
            R"(metrics 1 {"group":"g","step":3,)"
            R"("values":{"a":1,"b":"-Infinity","c":{"text":"hi","type":"text"}}})");
}

TEST(RankMessage, AMetricThatIsNoNumberIsNamedWithTheWayOut) {
  const auto metric = [](const std::string& value) {
    return read(R"({"type":"metrics","seq":1,"group":"g","step":3,"values":{"acc":)" + value +
                "}}");
  };
  const std::string start =
      "invalid_message: metrics: metric 'acc' must be a number or an object with a type, got ";
  EXPECT_EQ(metric("true"), start + R"(true (report 0 or 1, or {"type": "bool"}))");
  EXPECT_EQ(metric("[1]"), start + "[1]");
  EXPECT_EQ(metric("{\"x\":1}"), start + "{\"x\":1}");
  EXPECT_TRUE(metric("\"90%\"").starts_with(start + "\"90%\" (report text as"));
}

TEST(RankMessage, StepsAreIntegers) {
  const auto step = [](const std::string& value) {
    return read(R"({"type":"metrics","seq":1,"group":"g","values":{},"step":)" + value + "}");
  };
  EXPECT_EQ(step("3.0"), R"(metrics 1 {"group":"g","step":3,"values":{}})");
  EXPECT_EQ(step("9007199254740993"),
            R"(metrics 1 {"group":"g","step":9007199254740993,"values":{}})");
  EXPECT_EQ(step("1.5"), "invalid_message: metrics: step must be an integer, got 1.5");
  EXPECT_EQ(step("1e300"), "invalid_message: metrics: step must be an integer, got 1e+300");
  EXPECT_EQ(step("null"), "invalid_message: metrics: step is missing (an integer)");
}

TEST(RankMessage, EveryMessageNeedsItsNumber) {
  EXPECT_EQ(read(R"({"type":"progress","fraction":0.5})"),
            "invalid_message: progress: seq is missing (1 or more)");
  EXPECT_EQ(read(R"({"type":"progress","seq":0,"fraction":0.5})"),
            "invalid_message: progress: seq must be 1 or more, got 0");
}

TEST(RankMessage, TheOtherKindsAreChecked) {
  EXPECT_EQ(read(R"({"type":"progress","seq":1,"fraction":1})"), R"(progress 1 {"fraction":1.0})");
  EXPECT_EQ(read(R"({"type":"progress","seq":1,"fraction":1.1})"),
            "invalid_message: progress: fraction must be a number from 0 to 1, got 1.1");
  EXPECT_EQ(read(R"({"type":"exit","seq":1,"reason":"bad lr"})"),
            R"(early_exit 1 {"reason":"bad lr"})");
  EXPECT_EQ(read(R"({"type":"artifact","seq":1,"path":"/a/b","name":"plot"})"),
            R"(artifact 1 {"name":"plot","path":"/a/b"})");
  EXPECT_EQ(read(R"({"type":"checkpoint","seq":1,"id":"c","step":1,"part":2,"parts":2})"),
            "invalid_message: checkpoint: part must be from 0 to parts - 1, got 2 of 2");
  EXPECT_EQ(read("[]"), "invalid_message: type is missing (a text)");
}

TEST(RankMessage, APathStaysInItsFolder) {
  for (const char* good : {"a", "a/b", "a.b/..c"}) EXPECT_TRUE(is_inner_path(good)) << good;
  for (const char* bad : {"", "/a", "a/", "a//b", "../a", "a/../b", "./a"}) {
    EXPECT_FALSE(is_inner_path(bad)) << bad;
  }
}

}  // namespace
}  // namespace dt::shim
