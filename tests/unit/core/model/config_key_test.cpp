#include <gtest/gtest.h>

#include "core/model/config.h"
#include "formats/json.h"

namespace dt::core {
namespace {

// The configuration after the change, or the error.
std::string changed(const std::string& json, const std::string& path, Value value) {
  Value config = *parse_json(json);
  const Status status = set_config_key(config, path, std::move(value));
  return status.ok() ? to_json(config) : status.text();
}

TEST(ConfigKey, ReplacesAndAdds) {
  EXPECT_EQ(changed(R"({"a":1})", "a", 2), R"({"a":2})");
  EXPECT_EQ(changed(R"({"a":1})", "b", "x"), R"({"a":1,"b":"x"})");
  EXPECT_EQ(changed(R"({"s":{"max_trials":8}})", "s.max_trials", 9), R"({"s":{"max_trials":9}})");
}

TEST(ConfigKey, MakesTheMapsOnItsWay) {
  EXPECT_EQ(changed("{}", "a.b.c", true), R"({"a":{"b":{"c":true}}})");
  EXPECT_EQ(changed(R"({"a":null})", "a.b", 1), R"({"a":{"b":1}})");
  EXPECT_EQ(changed("null", "a", 1), R"({"a":1})");
}

TEST(ConfigKey, ReachesListItemsAndAppends) {
  EXPECT_EQ(changed(R"({"l":["x","y"]})", "l[1]", "z"), R"({"l":["x","z"]})");
  EXPECT_EQ(changed(R"({"l":["x"]})", "l[1]", "y"), R"({"l":["x","y"]})");
  EXPECT_EQ(changed(R"({"l":[{"a":1}]})", "l[0].a", 2), R"({"l":[{"a":2}]})");
}

TEST(ConfigKey, RefusesPathsThatLeadNowhere) {
  const std::string hint = " (write it as in searcher.max_trials or labels[0])";
  EXPECT_EQ(changed(R"({"s":"single"})", "s.name", 1),
            "key \"s.name\" leads through string \"single\", not through a map" + hint);
  EXPECT_EQ(changed(R"({"l":[1]})", "l[2]", 1),
            "key \"l[2]\" has no item 2: list of 1 item" + hint);
  EXPECT_EQ(changed(R"({"l":{}})", "l[0]", 1), "key \"l[0]\" has no item 0: map of 0 keys" + hint);
  for (const char* path : {"", ".", "a.", ".a", "a..b", "a[", "a[x]", "[0]", "a[0]b", "a[-1]"}) {
    EXPECT_EQ(changed("{}", path, 1), cat("key \"", path, "\" is not a path of keys", hint))
        << path;
  }
}

TEST(ConfigKey, LeavesARefusedConfigurationAsItWas) {
  Value config = *parse_json(R"({"a":{"l":[]}})");
  EXPECT_FALSE(set_config_key(config, "a.m.l[3]", 1).ok());
  EXPECT_EQ(to_json(config), R"({"a":{"l":[]}})");
}

}  // namespace
}  // namespace dt::core
