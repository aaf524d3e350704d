#include "core/search/grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "formats/json.h"
#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

std::string points_of(const HyperparameterSpace& space) {
  const GridSpace grid(space);
  std::string text;
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    text += (i > 0 ? " " : "") + to_json(grid.point(i));
  }
  return text;
}

std::string axis(const Hyperparameter& parameter) { return points_of({{"a", parameter}}); }

TEST(Grid, IsTheFullProductOfNestedAxesWithTheFirstSlowest) {
  const HyperparameterSpace space{
      {"b", {NestedParameter{{{"y", {CategoricalParameter{{true, "1"}}}}}}}},
      {"a", {IntParameter{0, 10, 2}}},
      {"c", {ConstParameter{nullptr}}}};
  EXPECT_EQ(points_of(space),
            R"({"a":0,"b":{"y":true},"c":null} {"a":0,"b":{"y":"1"},"c":null})"
            R"( {"a":10,"b":{"y":true},"c":null} {"a":10,"b":{"y":"1"},"c":null})");
}

TEST(Grid, KeepsEmptyNestedMaps) {
  EXPECT_EQ(axis({NestedParameter{}}), R"({"a":{}})");
  EXPECT_EQ(points_of({}), "{}");
}

TEST(Grid, RoundsIntegersHalfAwayFromZero) {
  EXPECT_EQ(axis({IntParameter{0, 3, 3}}), R"({"a":0} {"a":2} {"a":3})");
  EXPECT_EQ(axis({IntParameter{-3, 0, 3}}), R"({"a":-3} {"a":-2} {"a":0})");
  EXPECT_EQ(axis({IntParameter{-3, 0, 1}}), R"({"a":-2})");
  EXPECT_EQ(axis({IntParameter{0, 3, 1}}), R"({"a":2})");
  EXPECT_EQ(axis({IntParameter{-1, 2, 3}}), R"({"a":-1} {"a":1} {"a":2})");
}

TEST(Grid, HasNoMorePointsThanThereAreIntegers) {
  EXPECT_EQ(axis({IntParameter{7, 9, 100}}), R"({"a":7} {"a":8} {"a":9})");
}

TEST(Grid, IsExactAtTheEndsOfInt64) {
  const auto low = std::numeric_limits<std::int64_t>::min();
  const auto high = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(axis({IntParameter{low, high, 2}}),
            R"({"a":-9223372036854775808} {"a":9223372036854775807})");
  EXPECT_EQ(axis({IntParameter{low, high, 1}}), R"({"a":-1})");
}

TEST(Grid, SpacesRealAxesEvenlyAndTakesTheMiddleOfOne) {
  EXPECT_EQ(axis({DoubleParameter{0, 1, 3}}), R"({"a":0.0} {"a":0.5} {"a":1.0})");
  EXPECT_EQ(axis({DoubleParameter{1, 2, 1}}), R"({"a":1.5})");
  EXPECT_EQ(axis({LogParameter{10, -2, 0, 3}}), R"({"a":0.01} {"a":0.1} {"a":1.0})");
  EXPECT_EQ(axis({LogParameter{2, 2, 4, 1}}), R"({"a":8.0})");
}

TEST(Grid, OfAnySizeCostsNoMemory) {
  HyperparameterSpace space;
  for (int i = 0; i < 30; ++i) space[cat("axis", i)] = {DoubleParameter{0, 1, 1000}};
  const GridSpace grid(space);
  EXPECT_EQ(grid.size(), std::int64_t{1} << 62);
  EXPECT_EQ(grid.point(0)["axis7"], Value(0.0));
}

TEST(GridSearch, RunsEveryPointOnceTheLastFirst) {
  Searcher searcher(grid_of(2), {{"a", {IntParameter{0, 2, 3}}}}, 0);
  SearchOperations operations = searcher.start();
  ASSERT_EQ(text_of(operations), "create 0, create 1");
  EXPECT_EQ(std::get<CreateTrial>(operations[0]).hparams["a"], Value(2));
  EXPECT_EQ(std::get<CreateTrial>(operations[1]).hparams["a"], Value(1));
  operations = searcher.trial_exited(1, ExitReason::completed);
  ASSERT_EQ(text_of(operations), "create 2");
  EXPECT_EQ(std::get<CreateTrial>(operations[0]).hparams["a"], Value(0));
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(2, ExitReason::completed)), "shutdown");
}

TEST(GridSearch, DoesNotReplaceAnInvalidPoint) {
  Searcher searcher(grid_of(0), {{"a", {IntParameter{0, 1, 2}}}}, 0);
  EXPECT_EQ(text_of(searcher.start()), "create 0, create 1");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::invalid_hp)), "");
  EXPECT_EQ(searcher.progress(), 0.5);
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::errored)), "shutdown");
  EXPECT_EQ(searcher.progress(), 1);
}

}  // namespace
}  // namespace dt::core
