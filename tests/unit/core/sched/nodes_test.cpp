#include "core/sched/nodes.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "core/sched/fitting.h"
#include "tests/unit/core/sched/pool_builder.h"

namespace dt::core {
namespace {

SlotRequest of(SlotRequest request, std::vector<std::string> models) {
  request.models = std::move(models);
  return request;
}

AgentCapacity with_model(AgentCapacity agent, const char* model) {
  agent.model = model;
  return agent;
}

TEST(Nodes, PlacementsUseWhatEarlierOnesLeft) {
  Nodes nodes(cluster("1x2 1x4"), {});
  EXPECT_EQ(to_text(nodes.place(request("a", 2))), "n1:2");
  EXPECT_EQ(to_text(nodes.place(request("b", 2))), "n2:2");
  EXPECT_EQ(to_text(nodes.place(request("c", 2))), "n2:2");
  EXPECT_EQ(to_text(nodes.place(request("d", 1))), "");
}

TEST(Nodes, WhatIsGivenBackCanBeTakenAgain) {
  Nodes nodes(cluster("1x4"), {});
  const auto held = nodes.place(request("a", 4));
  EXPECT_EQ(to_text(nodes.find(request("b", 1))), "");
  nodes.give_back(request("a", 4), held);
  EXPECT_EQ(to_text(nodes.find(request("b", 4))), "n1:4");
}

TEST(Nodes, AModelIsNamedOrAnyWillDo) {
  Nodes nodes({with_model(node("old", 4), "V100"), with_model(node("new", 8), "A100")}, {});
  EXPECT_EQ(to_text(nodes.find(of(request("a", 2), {"A100"}))), "new:2");
  EXPECT_EQ(to_text(nodes.find(of(request("a", 2), {"H200", "V100"}))), "old:2");
  EXPECT_EQ(to_text(nodes.find(of(request("a", 2), {"H200"}))), "");
  EXPECT_EQ(to_text(nodes.find(request("a", 2))), "old:2") << "the fullest, whatever its model";
}

TEST(Nodes, AGangOverNodesKeepsToItsModel) {
  std::vector<AgentCapacity> agents = cluster("3x4");
  for (std::size_t i = 0; i < agents.size(); ++i) agents[i].model = i == 0 ? "V100" : "A100";
  Nodes nodes(agents, {});
  EXPECT_EQ(to_text(nodes.find(of(request("a", 8), {"A100"}))), "n2:4 n3:4");
  EXPECT_EQ(to_text(nodes.find(of(request("a", 12), {"A100"}))), "");
}

TEST(Nodes, PartsShareASlotAndTheFullestWithRoomIsTaken) {
  Nodes nodes(cluster("1x2"), {});
  EXPECT_EQ(to_text(nodes.place(part("a", 500))), "n1:0.5#0");
  EXPECT_EQ(to_text(nodes.place(part("b", 700))), "n1:0.7#1");
  EXPECT_EQ(to_text(nodes.place(part("c", 300))), "n1:0.3#1");
  EXPECT_EQ(to_text(nodes.place(part("d", 500))), "n1:0.5#0");
  EXPECT_EQ(to_text(nodes.place(part("e", 100))), "");
}

TEST(Nodes, ASharedSlotIsNoWholeSlotUntilAllPartsAreGone) {
  AgentCapacity agent = node("n", 2, 1);
  agent.shared = {400};
  Nodes nodes({agent}, {});
  SlotRequest holder = part("holder", 600);
  EXPECT_EQ(to_text(nodes.find(request("two", 2))), "");
  EXPECT_EQ(to_text(nodes.find(part("more", 400))), "n:0.4#0");
  nodes.give_back(holder, {{{"n"}, 1, 600, 0}});
  EXPECT_EQ(to_text(nodes.find(request("two", 2))), "n:2");
}

TEST(Nodes, CpuAndMemoryBoundWhoeverAsksForSome) {
  AgentCapacity small = node("small", 8);
  small.cpu_milli = 4000;
  AgentCapacity large = node("large", 8, 2);
  large.cpu_milli = 64'000;
  large.memory_mib = 1024;
  Nodes nodes({small, large}, {});
  SlotRequest hungry = request("hungry", 1);
  hungry.cpu_milli = 8000;
  EXPECT_EQ(to_text(nodes.find(hungry)), "large:1");
  hungry.memory_mib = 2048;
  EXPECT_EQ(to_text(nodes.find(hungry)), "");
  EXPECT_EQ(to_text(nodes.find(request("modest", 8))), "small:8");
}

TEST(Nodes, DrainingAndDisabledNodesTakeNothingEvenOfWhatIsGivenBack) {
  for (const AgentState state : {AgentState::draining, AgentState::disabled}) {
    AgentCapacity closed = node("n", 4, 2);
    closed.state = state;
    Nodes nodes({closed}, {});
    EXPECT_EQ(to_text(nodes.find(request("a", 1))), "");
    EXPECT_EQ(to_text(nodes.find(request("zero", 0))), "");
    nodes.give_back(request("running", 2), {{{"n"}, 2}});
    EXPECT_EQ(to_text(nodes.find(request("a", 1))), "");
  }
}

TEST(Nodes, RandomFitIsFixedBySeedAndIdAndReachesEveryNode) {
  std::set<std::string> reached;
  for (int i = 0; i < 100; ++i) {
    Nodes nodes(cluster("4x2"), {.fit = FitPolicy::random, .seed = 7});
    const SlotRequest request{.id = cat("task", i), .slots = 1};
    const std::string first = to_text(nodes.find(request));
    EXPECT_EQ(to_text(nodes.find(request)), first);
    reached.insert(first);
  }
  EXPECT_EQ(reached.size(), 4u);
}

// Where small requests are typical beside large ones, they go where they spoil least.
TEST(Nodes, FragmentationKeepsRoomForWhatIsTypical) {
  const std::vector<AgentCapacity> agents = {node("six", 8, 2), node("seven", 8, 1)};
  std::vector<SlotRequest> typical;
  for (int i = 0; i < 9; ++i) typical.push_back(request("large", 6));
  typical.push_back(request("small", 1));
  Nodes best(agents, {.fit = FitPolicy::best}, typical);
  Nodes aware(agents, {.fit = FitPolicy::fragmentation}, typical);
  EXPECT_EQ(to_text(best.find(request("small", 1))), "six:1");
  EXPECT_EQ(to_text(aware.find(request("small", 1))), "seven:1") << "six slots stay together twice";
}

// Whatever is placed and given back in whatever order, no node holds more than it has, and an empty
// cluster is as it was.
TEST(Nodes, SlotsAreConservedUnderRandomUse) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const FitPolicy policies[] = {FitPolicy::best, FitPolicy::worst, FitPolicy::random,
                                  FitPolicy::fgd, FitPolicy::fragmentation};
    const PoolConfig config{.heterogeneous = rng.chance(50), .fit = policies[rng.between(0, 4)]};
    Nodes nodes(cluster("3x8 2x4"), config, {request("typical", 2)});
    std::vector<std::pair<SlotRequest, std::vector<Placement>>> held;
    int whole_held = 0;
    for (int i = 0; i < 200; ++i) {
      if (rng.chance(60) || held.empty()) {
        SlotRequest one{.id = cat("r", i), .slots = static_cast<int>(rng.between(0, 10))};
        if (one.slots == 1) one.slot_milli = static_cast<int>(rng.between(1, 10)) * 100;
        const auto placements = nodes.place(one);
        if (placements.empty()) continue;
        int placed = 0;
        for (const Placement& placement : placements) placed += placement.slots;
        ASSERT_EQ(placed, one.slots) << "a gang is placed whole";
        if (one.slot_milli == whole_slot) whole_held += one.slots;
        held.emplace_back(one, placements);
      } else {
        const auto& [one, placements] = held.back();
        nodes.give_back(one, placements);
        if (one.slot_milli == whole_slot) whole_held -= one.slots;
        held.pop_back();
      }
      ASSERT_LE(nodes.totals().empty + whole_held, 32);
    }
    for (; !held.empty(); held.pop_back()) nodes.give_back(held.back().first, held.back().second);
    EXPECT_EQ(nodes.totals().empty, 32);
    EXPECT_EQ(to_text(nodes.find(request("all", 24))).empty(), false);
  }
}

}  // namespace
}  // namespace dt::core
