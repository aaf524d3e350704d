// The simulated world itself: it is the same for the same seed, its disk forgets and its wires lose
// as they should, and a run without a storm ends. That the promises hold over many seeds is
// dt-sim's own test.
#include "sim/world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "sim/run.h"
#include "sim/workers.h"

namespace dt::sim {
namespace {

Scale small(std::int64_t seconds) {
  return {.agents = 3, .jobs = 8, .storm = Duration(seconds * 1000)};
}

std::string trace_of(std::uint64_t seed) {
  std::ostringstream trace;
  World world(draw_options(seed, small(300)), &trace);
  trace << world.run();
  return trace.str();
}

TEST(World, IsTheSameForTheSameSeed) { EXPECT_EQ(trace_of(7), trace_of(7)); }

TEST(World, DiffersForAnotherSeed) { EXPECT_NE(trace_of(7), trace_of(8)); }

TEST(World, FirstFailureCounts) {
  World world(draw_options(3, small(60)), nullptr);
  world.fail("P2: first");
  world.fail("P4: second");
  EXPECT_EQ(world.run(), "SEED 3 FAILED at t=0.000s after 0 events: P2: first");
}

TEST(World, SaysHowManySeedsPassed) {
  std::ostringstream out;
  RunTotals totals;
  const bool passed = run_seeds({.first = 1, .last = 3, .scale = small(120)}, out, totals);
  EXPECT_TRUE(passed);
  EXPECT_EQ(out.str(), "3 seeds passed\n");
  EXPECT_GT(totals.events, 1000);
}

TEST(World, SaysTheSameHoweverManyProcessesThereAre) {
  std::ostringstream one, three;
  RunTotals totals;
  RunOptions options{.first = 1, .last = 7, .processes = 1, .least_hits = 1, .scale = small(200)};
  run_seeds(options, one, totals);
  options.processes = 3;
  run_seeds(options, three, totals);
  EXPECT_EQ(one.str(), three.str());
}

TEST(Workers, ReportTheFirstSeedThatFailsAndOneThatEndsItsProcess) {
  const auto nothing = [](const SeedResult&) {};
  const auto fail_at = [](std::uint64_t bad) {
    return [bad](std::uint64_t seed) {
      return SeedResult{.seed = seed, .failure = seed >= bad ? cat("bad ", seed) : ""};
    };
  };
  EXPECT_EQ(run_in_processes(1, 20, 3, fail_at(8), nothing)->failure, "bad 8");
  EXPECT_FALSE(run_in_processes(1, 7, 3, fail_at(8), nothing));
  const auto dies = [](std::uint64_t seed) {
    if (seed == 4) ::_exit(7);
    return SeedResult{.seed = seed, .failure = {}};
  };
  EXPECT_EQ(run_in_processes(1, 9, 2, dies, nothing)->failure,
            "SEED 4 FAILED: a brain broke one of its own invariants");
}

core::Record record(std::int64_t seq) { return {.stream = 0, .seq = seq}; }

TEST(Spool, ForgetsAtAPowerLossWhatWasNotSynced) {
  Spool spool;
  for (std::int64_t seq = 1; seq <= 3; ++seq) spool.append(record(seq));
  spool.synced(2);
  bool at_end = false;
  EXPECT_EQ(spool.read({}, 10, at_end).size(), 3u);
  spool.lose_unsynced();
  EXPECT_EQ(spool.read({}, 10, at_end).size(), 2u);
}

TEST(Spool, IsReadFromMarksInPieces) {
  Spool spool;
  for (std::int64_t seq = 1; seq <= 5; ++seq) spool.append(record(seq));
  bool at_end = true;
  const auto piece = spool.read({{0, 2}}, 2, at_end);
  ASSERT_EQ(piece.size(), 2u);
  EXPECT_EQ(piece.front().seq, 3);
  EXPECT_FALSE(at_end);
}

struct Wires {
  Queue queue;
  Rng dice{1};
  Network network{queue, dice, 2};
  int heard = 0;
  int breaks = 0;

  Wires() {
    network.on_break_agent = network.on_break_master = [this](const LinkPtr&) { ++breaks; };
  }
  void run_until(Time time) {
    bool reached = false;
    queue.at(time, [&] { reached = true; });
    while (!reached) queue.run_next();
  }
};

TEST(Network, AStreamIsInOrder) {
  Wires wires;
  const auto link = std::make_shared<Link>();
  std::string order;
  for (const char letter : std::string("abcdef")) {
    wires.network.send(link, Way::up, [&order, letter] { order += letter; });
  }
  wires.run_until(wires.queue.now() + Duration(5'000));
  EXPECT_EQ(order, "abcdef");
}

TEST(Network, ACutBreaksTheStreamForBothEnds) {
  Wires wires;
  const auto link = std::make_shared<Link>();
  wires.network.cut(0, Way::up, wires.queue.now() + Duration(1'000));
  wires.network.send(link, Way::up, [&] { ++wires.heard; });
  wires.run_until(wires.queue.now() + Duration(60'000));
  wires.network.send(link, Way::up, [&] { ++wires.heard; });
  wires.run_until(wires.queue.now() + Duration(60'000));
  EXPECT_EQ(wires.heard, 0);
  EXPECT_EQ(wires.breaks, 2);
}

TEST(Network, ACallWhoseReplyIsLostFails) {
  Wires wires;
  int served = 0;
  int failed = 0;
  wires.network.cut(0, Way::down, wires.queue.now() + Duration(60'000));
  wires.network.call(
      0,
      [&](const Network::Reply& reply) {
        ++served;
        wires.network.answer(reply, [&] { ++wires.heard; });
      },
      [&] { ++failed; });
  wires.run_until(wires.queue.now() + Duration(30'000));
  EXPECT_GE(served, 1);
  EXPECT_EQ(wires.heard, 0);
  EXPECT_EQ(failed, 1);
}

TEST(Database, RefusesABatchOfAnotherMaster) {
  Database database;
  const core::LoopState first = database.take_over("a");
  database.take_over("b");
  EXPECT_FALSE(database.commit({first.batch + 1, "a"}, {}));
  EXPECT_TRUE(database.commit({first.batch + 1, "b"}, {}));
  EXPECT_FALSE(database.commit({first.batch + 1, "b"}, {})) << "the same number twice";
}

}  // namespace
}  // namespace dt::sim
