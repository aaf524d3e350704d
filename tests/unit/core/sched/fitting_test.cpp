#include "core/sched/fitting.h"

#include <gtest/gtest.h>

#include "tests/unit/core/sched/pool_builder.h"

namespace dt::core {
namespace {

std::string fit(const SlotRequest& request, const std::vector<AgentCapacity>& agents,
                const PoolConfig& config = {}) {
  return to_text(find_fit(request, agents, config));
}

TEST(Fitting, BestFitTakesTheFullestNodeAndWorstFitTheEmptiest) {
  const std::vector<AgentCapacity> agents = {node("large", 8), node("small", 8, 5)};
  EXPECT_EQ(fit(request("task", 2), agents), "small:2");
  EXPECT_EQ(fit(request("task", 2), agents, {.fit = FitPolicy::worst}), "large:2");
}

TEST(Fitting, EqualScoresAreDecidedByHashDistanceNotByOrder) {
  EXPECT_EQ(fit(request("task1", 2), {node("agent1", 4), node("agent2", 4)}), "agent1:2");
  EXPECT_EQ(fit(request("task1", 2), {node("agent2", 4), node("agent1", 4)}), "agent1:2");
}

TEST(Fitting, AGangPrefersOneNodeOverSeveral) {
  EXPECT_EQ(fit(request("task", 4), {node("a", 2), node("b", 2), node("c", 8, 1)}), "c:4");
}

TEST(Fitting, AGangSpansWhollyIdleNodesOfOneSizeAndTheLargestSizeFirst) {
  EXPECT_EQ(fit(request("task", 4), {node("a", 2), node("b", 2)}), "a:2 b:2");
  EXPECT_EQ(fit(request("task", 4), {node("a", 2), node("b", 2, 1)}), "");
  EXPECT_EQ(fit(request("task", 8), {node("c", 2), node("a", 4), node("d", 2), node("b", 4)}),
            "a:4 b:4");
  EXPECT_EQ(fit(request("task", 6), {node("a", 4), node("b", 4)}), "") << "6 is no multiple of 4";
}

TEST(Fitting, ASingleNodeRequestNeverSpansNodes) {
  SlotRequest single = request("task", 4);
  single.single_node = true;
  EXPECT_EQ(fit(single, {node("a", 2), node("b", 2)}), "");
  EXPECT_EQ(fit(single, {node("a", 2), node("b", 4)}), "b:4");
}

TEST(Fitting, HeterogeneousFitsAreGreedyFromLargeToSmall) {
  const PoolConfig mixed = {.heterogeneous = true};
  EXPECT_EQ(fit(request("task", 7), {node("one", 1), node("four", 4), node("two", 2)}, mixed),
            "four:4 two:2 one:1");
  EXPECT_EQ(fit(request("task", 7), {node("four", 4), node("two", 2)}, mixed), "");
}

TEST(Fitting, BlockedAndDrainingNodesAreNotUsed) {
  SlotRequest blocked = request("task", 1);
  blocked.blocked = {{"a"}};
  EXPECT_EQ(fit(blocked, {node("a", 4), node("b", 4)}), "b:1");
  blocked.blocked.insert({"b"});
  EXPECT_EQ(fit(blocked, {node("a", 4), node("b", 4)}), "");
  EXPECT_EQ(fit(request("task", 2), {node("draining", 2, 2), node("empty", 0)}), "");
}

TEST(Fitting, ZeroSlotRequestsTakeAPlaceEvenOnAFullNode) {
  AgentCapacity full = node("full", 2, 2);
  EXPECT_EQ(fit(request("task", 0), {full}), "full:0");
  full.zero_slot = full.max_zero_slot;
  EXPECT_EQ(fit(request("task", 0), {full}), "");
}

TEST(Fitting, WhatCouldNeverRunIsToldFromWhatMustWait) {
  const std::vector<AgentCapacity> agents = {node("a", 2, 2), node("b", 2, 1)};
  EXPECT_TRUE(fits_when_idle(request("task", 4), agents, {}));
  EXPECT_FALSE(fits_when_idle(request("task", 3), agents, {}));
  EXPECT_FALSE(fits_when_idle(request("task", 5), agents, {}));
  EXPECT_FALSE(fits_when_idle(request("task", 0), {}, {}));
}

}  // namespace
}  // namespace dt::core
