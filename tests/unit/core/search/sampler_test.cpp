#include "core/search/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

TEST(Sampler, DrawsInSortedKeyOrderWithNestedMapsInTheirPlace) {
  const HyperparameterSpace inner{{"y", {DoubleParameter{0, 1, {}}}},
                                  {"x", {IntParameter{0, 1000, {}}}}};
  const HyperparameterSpace space{{"c", {CategoricalParameter{{"p", "q", "r"}}}},
                                  {"b", {NestedParameter{inner}}},
                                  {"a", {DoubleParameter{-1, 1, {}}}},
                                  {"d", {ConstParameter{Value::Array{1, 2}}}}};
  NumpyRandom random(11);
  const Value sample = sample_space(space, random);

  NumpyRandom by_hand(11);
  const double a = by_hand.uniform(-1, 1);
  const std::int64_t x = by_hand.integer(0, 1000);
  const double y = by_hand.uniform(0, 1);
  const Value c = Value::Array{"p", "q", "r"}[by_hand.up_to(2)];
  EXPECT_EQ(sample["a"], Value(a));
  EXPECT_EQ(sample["b"], Value(Value::Object{{"x", x}, {"y", y}}));
  EXPECT_EQ(sample["c"], c);
  EXPECT_EQ(sample["d"], Value(Value::Array{1, 2}));
  EXPECT_EQ(random, by_hand);
}

TEST(Sampler, KeepsTheTypesOfCategoricalValues) {
  const std::vector<Value> vals{true, 1, "1", nullptr, Value::Array{1, 2}};
  const HyperparameterSpace space{{"mixed", {CategoricalParameter{vals}}}};
  NumpyRandom random(0);
  std::vector<bool> seen(vals.size());
  for (int i = 0; i < 200; ++i) {
    const Value drawn = sample_space(space, random)["mixed"];
    for (std::size_t j = 0; j < vals.size(); ++j) seen[j] = seen[j] || drawn == vals[j];
  }
  EXPECT_EQ(seen, std::vector<bool>(vals.size(), true));
}

TEST(Sampler, DrawsLogParametersByTheirExponent) {
  const HyperparameterSpace space{{"lr", {LogParameter{10, -4, -1, {}}}}};
  NumpyRandom random(1), by_hand(1);
  EXPECT_EQ(sample_space(space, random)["lr"], Value(std::pow(10.0, by_hand.uniform(-4, -1))));
}

TEST(Sampler, NeverDrawsTheUpperEndOfAnIntegerRange) {
  const HyperparameterSpace space{{"n", {IntParameter{3, 5, {}}}}};
  NumpyRandom random(1);
  std::set<std::int64_t> drawn;
  for (int i = 0; i < 100; ++i) drawn.insert(sample_space(space, random)["n"].as_int());
  EXPECT_EQ(drawn, (std::set<std::int64_t>{3, 4}));
}

TEST(Sampler, KnowsASpaceThatCannotVary) {
  EXPECT_FALSE(can_vary({}));
  EXPECT_FALSE(can_vary(constants()));
  EXPECT_FALSE(can_vary({{"one", {CategoricalParameter{{"only"}}}}}));
  EXPECT_FALSE(can_vary({{"one", {IntParameter{4, 5, {}}}}}));
  EXPECT_FALSE(can_vary({{"map", {NestedParameter{constants()}}}}));
  EXPECT_TRUE(can_vary(small_space()));
  EXPECT_TRUE(can_vary({{"n", {IntParameter{INT64_MIN, INT64_MAX, {}}}}}));
}

TEST(TrialMaker, GivesEachTrialAVersion4UuidAndASeedBelow2To31) {
  TrialMaker maker(small_space(), 99);
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const CreateTrial trial = maker.sampled();
    ASSERT_EQ(trial.trial, i);
    ASSERT_EQ(trial.request_id.size(), 36u);
    ASSERT_EQ(trial.request_id[14], '4') << trial.request_id;
    ASSERT_NE(std::string("89ab").find(trial.request_id[19]), std::string::npos);
    ASSERT_LT(trial.trial_seed, 1u << 31);
    ids.insert(trial.request_id);
  }
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(TrialMaker, ContinuesItsStreamFromASnapshot) {
  TrialMaker maker(small_space(), 5);
  for (int i = 0; i < 50; ++i) maker.sampled();
  TrialMaker other(small_space(), 0);
  ASSERT_TRUE(other.restore(maker.snapshot()).ok());
  for (int i = 0; i < 200; ++i) ASSERT_EQ(other.sampled(), maker.sampled());
}

TEST(TrialMaker, RefusesASnapshotWithoutItsCount) {
  TrialMaker maker(small_space(), 5);
  EXPECT_EQ(maker.restore(Value::Object{}).message(),
            "searcher snapshot: 'created' must be an integer, not null");
}

}  // namespace
}  // namespace dt::core
