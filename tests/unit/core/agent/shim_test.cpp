#include "core/agent/shim.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace dt::core::shim {
namespace {

std::string text(const Record& record) {
  std::string out = cat(to_text(record.kind), "@", record.stream, "#", record.seq);
  const Value& body = record.body;
  if (record.kind == RecordKind::log) return cat(out, "'", body["text"].as_string(), "'");
  if (record.kind != RecordKind::exit) return out;
  return cat(out, " code ", body["code"].as_int(), " ordered ", body["ordered"].as_string());
}

std::string text(const Action& action) {
  return std::visit(
      Overload{
          [](const RunPrepare&) { return std::string("prepare"); },
          [](const BindPort&) { return std::string("bind"); },
          [](const SpawnRank& a) { return cat("spawn ", a.rank); },
          [](const Append& a) { return text(a.record); },
          [](const Sync&) { return std::string("sync"); },
          [](const Acknowledge& a) { return cat("ack ", a.rank, ":", a.rank_seq); },
          [](const TellPreempt& a) { return cat("preempt ", a.rank, " in ", a.left.count()); },
          [](const TellStop& a) { return cat("stop ", a.rank); },
          [](const SignalRank& a) {
            return cat(a.signal == signal_kill ? "SIGKILL " : "SIGTERM ", a.rank);
          },
          [](const KillTree&) { return std::string("kill tree"); },
          [](const ReportStatus&) { return std::string("report"); },
          [](const WakeAt& a) { return cat("wake at ", to_ms(a.time)); },
          [](const Finish&) { return std::string("finish"); },
      },
      action);
}

std::string text(const AllocationStatus& status) {
  std::string out = cat(to_text(status.phase));
  if (status.port != 0) out += cat(" ", status.address, ":", status.port);
  for (const RankExit& exit : status.exits) {
    out +=
        cat(" | rank ", exit.rank, " code ", exit.code, " ", to_text(exit.ordered), " #", exit.seq);
  }
  if (!status.failure.empty()) {
    out += cat(" | ", status.infrastructure ? "infrastructure: " : "failure: ", status.failure);
  }
  return out;
}

Options two_ranks() { return {.allocation = {1, 7}, .ranks = {0, 1}}; }

// A shim whose disk syncs only when the test says so.
class Shim {
 public:
  explicit Shim(Options options = two_ranks()) : brain(std::move(options)) {}

  std::string tell(const Event& event) {
    std::string out;
    for (const Action& action : brain.step(from_ms(now_ms), event)) {
      if (std::holds_alternative<Append>(action)) ++appended;
      out += cat(out.empty() ? "" : ", ", text(action));
    }
    return out;
  }
  std::string at(std::int64_t ms, const Event& event) {
    now_ms = ms;
    return tell(event);
  }
  std::string sync() { return tell(Synced{appended}); }
  std::string status() const { return text(brain.status()); }

  Brain brain;
  std::int64_t now_ms = 0;
  std::int64_t appended = 0;
};

Shim running(Options options = two_ranks()) {
  const std::vector<int> ranks = options.ranks;
  Shim shim(std::move(options));
  shim.tell(Opened{});
  shim.tell(StartOrdered{});
  for (const int rank : ranks) shim.tell(RankSpawned{rank});
  return shim;
}

// As running(), and every rank said hello; its hello is record 1 of its stream.
Shim speaking(Options options = two_ranks()) {
  Shim shim = running(options);
  for (const int rank : options.ranks) shim.tell(RankConnected{rank});
  shim.sync();
  return shim;
}

RankSaid metrics(int rank, std::int64_t rank_seq) {
  return {.rank = rank, .rank_seq = rank_seq, .kind = RecordKind::metrics};
}

TEST(ShimBrain, PreparesThenBindsThenIsReadyAndStartsItsRanks) {
  Options options = two_ranks();
  options.has_prepare = options.binds_port = true;
  options.address = "10.0.0.1";
  Shim shim(options);
  EXPECT_EQ(shim.tell(Opened{}), "prepare, report");
  EXPECT_EQ(shim.tell(PrepareEnded{}), "bind");
  EXPECT_EQ(shim.tell(PortBound{4711}), "report");
  EXPECT_EQ(shim.status(), "ready 10.0.0.1:4711");
  EXPECT_EQ(shim.tell(StartOrdered{}), "spawn 0, spawn 1, report");
  EXPECT_EQ(shim.tell(StartOrdered{}), "");
  EXPECT_EQ(shim.status(), "running 10.0.0.1:4711");
}

TEST(ShimBrain, StartsNoRankBeforeItIsReady) {
  Options options = two_ranks();
  options.has_prepare = true;
  Shim shim(options);
  shim.tell(Opened{});
  EXPECT_EQ(shim.tell(StartOrdered{}), "");
}

TEST(ShimBrain, AFailedPrepareEndsTheAllocationAndIsTheUsersFailure) {
  Options options = two_ranks();
  options.has_prepare = true;
  Shim shim(options);
  shim.tell(Opened{});
  EXPECT_EQ(shim.tell(PrepareEnded{2, "no rule to make target"}),
            "log@-1#1'prepare failed with exit code 2: no rule to make target', kill tree, sync");
  EXPECT_EQ(shim.tell(TreeEnded{}), "");
  EXPECT_EQ(shim.sync(), "report, finish");
  EXPECT_EQ(shim.status(),
            "ended | failure: prepare failed with exit code 2: no rule to make target");
}

TEST(ShimBrain, APortThatCannotBeBoundIsInfrastructure) {
  Options options = two_ranks();
  options.binds_port = true;
  Shim shim(options);
  EXPECT_EQ(shim.tell(Opened{}), "bind, report");
  shim.tell(PortFailed{"cannot bind 10.0.0.9: not our address"});
  shim.tell(TreeEnded{});
  shim.sync();
  EXPECT_EQ(shim.status(), "ended | infrastructure: cannot bind 10.0.0.9: not our address");
}

TEST(ShimBrain, TheEnvironmentIsRecordedBeforeTheFirstRank) {
  Shim shim;
  shim.tell(Opened{});
  EXPECT_EQ(shim.tell(StartOrdered{Value::Object{{"variables", Value::Array{}}}}),
            "environment@-1#1, spawn 0, spawn 1, sync, report");
}

TEST(ShimBrain, AcknowledgesOnlyWhatWasSynced) {
  Shim shim = speaking();
  EXPECT_EQ(shim.tell(metrics(0, 1)), "metrics@0#2, sync");
  EXPECT_EQ(shim.tell(metrics(1, 1)), "metrics@1#2, sync");
  EXPECT_EQ(shim.tell(metrics(0, 2)), "metrics@0#3, sync");
  EXPECT_EQ(shim.brain.last_safe_rank_seq(0), 0);
  EXPECT_EQ(shim.tell(Synced{3}), "ack 0:1");  // two hellos and the first message
  EXPECT_EQ(shim.brain.last_safe_rank_seq(0), 1);
  EXPECT_EQ(shim.tell(Synced{5}), "ack 0:2, ack 1:1");
}

TEST(ShimBrain, AMessageSentAgainIsNotStoredTwice) {
  Shim shim = speaking();
  shim.tell(metrics(0, 1));
  EXPECT_EQ(shim.tell(metrics(0, 1)), "");  // its acknowledgement comes with the sync
  EXPECT_EQ(shim.sync(), "ack 0:1");
  shim.tell(RankConnected{0});
  EXPECT_EQ(shim.tell(metrics(0, 1)), "ack 0:1");
  EXPECT_EQ(shim.tell(metrics(0, 2)), "metrics@0#3, sync");
}

TEST(ShimBrain, OnlyTheFirstHelloIsRecorded) {
  Shim shim = running();
  EXPECT_EQ(shim.tell(RankConnected{0}), "hello@0#1, sync");
  EXPECT_EQ(shim.tell(RankConnected{0}), "");
}

TEST(ShimBrain, ADeadRankEndsTheOthersWithinHalfASecond) {
  Shim shim = running();
  shim.now_ms = 1000;
  EXPECT_EQ(shim.tell(RankEnded{1, 139, 11}),
            "exit@1#1 code 139 ordered run, "
            "log@-1#1'rank 1 was ended by signal 11; the other ranks are ended', SIGTERM 0, "
            "sync, report, wake at 1500");
  EXPECT_EQ(shim.at(1500, Woke{}),
            "log@-1#2'rank 0 did not end on SIGTERM: killed', kill tree, sync");
  EXPECT_EQ(shim.tell(RankEnded{0, 137, 9}), "exit@0#1 code 137 ordered run, sync, report");
  shim.tell(TreeEnded{});
  EXPECT_EQ(shim.sync(), "report, finish");
  EXPECT_EQ(shim.status(), "ended | rank 1 code 139 run #1 | rank 0 code 137 run #1");
}

TEST(ShimBrain, ARankThatIsDoneOrPreemptedLeavesTheOthersAlone) {
  Shim shim = running();
  EXPECT_EQ(shim.tell(RankEnded{0, 0, 0}), "exit@0#1 code 0 ordered run, sync, report");
  EXPECT_EQ(shim.tell(RankEnded{1, 75, 0}),
            "exit@1#1 code 75 ordered run, kill tree, sync, report");
}

TEST(ShimBrain, NothingFollowsTheExitRecordOfAStream) {
  Shim shim = speaking();
  shim.tell(RankEnded{0, 0, 0});
  EXPECT_EQ(shim.tell(RankPrinted{0, "stdout", "from a daemon"}), "");
  EXPECT_EQ(shim.tell(metrics(0, 9)), "");
  EXPECT_EQ(shim.tell(RankPrinted{1, "stdout", "alive"}), "log@1#2'alive', sync");
}

TEST(ShimBrain, IsEndedOnlyWhenNoProcessIsLeftAndAllIsOnDisk) {
  Shim shim = running({.allocation = {1, 7}, .ranks = {0}});
  shim.tell(RankEnded{0, 0, 0});
  EXPECT_EQ(shim.sync(), "");
  EXPECT_EQ(shim.status(), "running | rank 0 code 0 run #1");
  EXPECT_EQ(shim.tell(TreeEnded{}), "report, finish");
}

TEST(ShimBrain, AProgramThatCannotStartIsCode127AndSaysWhy) {
  Shim shim;
  shim.tell(Opened{});
  shim.tell(StartOrdered{});
  shim.tell(RankSpawned{0});
  EXPECT_EQ(shim.tell(SpawnFailed{1, "cannot run 'tran.py'"}),
            "log@1#1'cannot run 'tran.py'', exit@1#2 code 127 ordered run, "
            "log@-1#1'rank 1 ended with exit code 127; the other ranks are ended', SIGTERM 0, "
            "sync, report, wake at 500");
}

TEST(ShimBrain, PreemptAsksThoseWhoSpeakAndTerminatesTheOthers) {
  Shim shim = running();
  shim.tell(RankConnected{0});
  EXPECT_EQ(shim.tell(PreemptOrdered{Duration(30'000)}),
            "preempt 0 in 30000, SIGTERM 1, wake at 30000");
  EXPECT_EQ(shim.at(1000, PreemptOrdered{Duration(29'000)}), "");
  EXPECT_EQ(shim.tell(RankEnded{1, 143, 15}), "exit@1#1 code 143 ordered preempt, sync, report");
  EXPECT_EQ(shim.at(30'000, Woke{}),
            "log@-1#1'rank 0 did not end on preempt: killed', kill tree, sync");
}

TEST(ShimBrain, ARepeatedPreemptOnlyBringsTheDeadlineForward) {
  Shim shim = speaking();
  shim.tell(PreemptOrdered{Duration(30'000)});
  EXPECT_EQ(shim.tell(PreemptOrdered{Duration(5'000)}), "wake at 5000");
  EXPECT_EQ(shim.tell(PreemptOrdered{Duration(60'000)}), "");
}

TEST(ShimBrain, ARankThatReconnectsHearsTheOrderAgain) {
  Shim shim = speaking();
  shim.tell(PreemptOrdered{Duration(30'000)});
  EXPECT_EQ(shim.at(10'000, RankConnected{0}), "preempt 0 in 20000");
  shim.tell(StopOrdered{});
  EXPECT_EQ(shim.tell(RankConnected{0}), "stop 0");
}

TEST(ShimBrain, AFailureDuringPreemptStaysAFailure) {
  Shim shim = speaking();
  shim.tell(PreemptOrdered{Duration(30'000)});
  EXPECT_EQ(shim.tell(RankEnded{0, 1, 0}),
            "exit@0#2 code 1 ordered preempt, "
            "log@-1#1'rank 0 ended with exit code 1; the other ranks are ended', SIGTERM 1, "
            "sync, report, wake at 500");
}

TEST(ShimBrain, StopAsksAndKillsAfterTheGrace) {
  Shim shim = running();
  shim.tell(RankConnected{0});
  EXPECT_EQ(shim.tell(StopOrdered{}), "stop 0, SIGTERM 1, wake at 10000");
  EXPECT_EQ(shim.tell(StopOrdered{}), "");
  EXPECT_EQ(shim.tell(RankEnded{1, 143, 15}), "exit@1#1 code 143 ordered stop, sync, report");
  EXPECT_EQ(shim.at(10'000, Woke{}),
            "log@-1#1'rank 0 did not end on stop: killed', kill tree, sync");
}

TEST(ShimBrain, AKillAfterAPreemptNamesWhoWouldNotGo) {
  Shim shim = speaking();
  shim.tell(PreemptOrdered{Duration(30'000)});
  shim.tell(RankEnded{1, 75, 0});
  EXPECT_EQ(shim.tell(KillOrdered{}),
            "log@-1#1'rank 0 did not end on preempt: killed', kill tree, sync");
  EXPECT_EQ(shim.tell(KillOrdered{}), "");
}

TEST(ShimBrain, KillIsAtOnceAndForTheWholeTree) {
  Shim shim = speaking();
  EXPECT_EQ(shim.tell(KillOrdered{}), "kill tree");
  EXPECT_EQ(shim.tell(KillOrdered{}), "");
  shim.tell(RankEnded{0, 137, 9});
  shim.tell(TreeEnded{});
  shim.sync();
  EXPECT_EQ(shim.status(), "ended | rank 0 code 137 kill #2 | rank 1 code 137 kill #2");
}

TEST(ShimBrain, AnOrderBeforeTheStartEndsTheAllocationWithoutCost) {
  for (const Event& order :
       {Event(PreemptOrdered{Duration(9)}), Event(StopOrdered{}), Event(KillOrdered{})}) {
    Shim shim;
    shim.tell(Opened{});
    shim.tell(order);
    EXPECT_EQ(shim.tell(StartOrdered{}), "");
    shim.tell(TreeEnded{});
    EXPECT_EQ(shim.sync(), "report, finish");
    EXPECT_TRUE(shim.brain.status().infrastructure);
    EXPECT_TRUE(shim.brain.status().exits.empty());
  }
}

TEST(ShimBrain, ARankThatComesToLifeAfterItsEndWasDecidedIsKilled) {
  Shim shim;
  shim.tell(Opened{});
  shim.tell(StartOrdered{});
  shim.tell(KillOrdered{});
  EXPECT_EQ(shim.tell(RankSpawned{0}), "SIGKILL 0");
}

TEST(ShimBrain, AtTwoThirdsOfTheLeaseRanksAreAskedAtItsEndTheyAreGone) {
  Shim shim = speaking();
  EXPECT_EQ(shim.tell(LeaseExtended{from_ms(120'000), from_ms(180'000)}), "wake at 120000");
  EXPECT_EQ(shim.at(120'000, Woke{}),
            "log@-1#1'no word from the master: the ranks are asked to checkpoint', "
            "preempt 0 in 60000, preempt 1 in 60000, sync, wake at 180000");
  EXPECT_EQ(shim.tell(RankEnded{0, 75, 0}), "exit@0#2 code 75 ordered preempt, sync, report");
  EXPECT_EQ(shim.at(180'000, Woke{}),
            "log@-1#2'the lease ended without a word from the master', SIGTERM 1, "
            "log@-1#3'rank 1 did not end on preempt: killed', kill tree, sync");
}

TEST(ShimBrain, AnAnsweredHeartbeatMovesTheLeasesEnd) {
  Shim shim = speaking();
  shim.tell(LeaseExtended{from_ms(120'000), from_ms(180'000)});
  EXPECT_EQ(shim.tell(LeaseExtended{from_ms(150'000), from_ms(210'000)}), "wake at 150000");
  EXPECT_EQ(shim.at(120'000, Woke{}), "");
  EXPECT_EQ(shim.tell(LeaseExtended{}), "");  // a lease without an end
  EXPECT_EQ(shim.at(999'000, Woke{}), "");
}

TEST(ShimBrain, AProgramThatCannotBeAskedTrainsToTheLeasesEndAndGetsTheGrace) {
  Shim shim = running();
  shim.tell(LeaseExtended{from_ms(120'000), from_ms(180'000)});
  EXPECT_EQ(shim.at(120'000, Woke{}), "wake at 180000");
  EXPECT_EQ(shim.at(180'000, Woke{}),
            "log@-1#1'the lease ended without a word from the master', SIGTERM 0, SIGTERM 1, sync, "
            "wake at 190000");
  EXPECT_EQ(shim.tell(LeaseExtended{from_ms(300'000), from_ms(360'000)}), "");
  EXPECT_EQ(shim.at(190'000, Woke{}),
            "log@-1#2'rank 0 did not end on preempt: killed', "
            "log@-1#3'rank 1 did not end on preempt: killed', kill tree, sync");
  EXPECT_EQ(shim.tell(RankEnded{0, 137, 9}), "exit@0#1 code 137 ordered preempt, sync, report");
}

TEST(ShimBrain, ALeaseThatEndsBeforeTheStartIsInfrastructure) {
  Shim shim;
  shim.tell(Opened{});
  shim.tell(LeaseExtended{from_ms(120'000), from_ms(180'000)});
  shim.at(180'000, Woke{});
  shim.tell(TreeEnded{});
  shim.sync();
  EXPECT_EQ(shim.status(),
            "ended | infrastructure: the lease ended without a word from the master");
}

TEST(ShimBrain, AnInterruptionOfTheNodeCostsNoRestart) {
  Shim shim = speaking();
  EXPECT_EQ(shim.tell(Interrupted{"the shim was told to terminate"}),
            "log@-1#1'the shim was told to terminate', kill tree, sync");
  EXPECT_EQ(shim.tell(RankEnded{0, 137, 9}), "exit@0#2 code 137 ordered preempt, sync, report");
  shim.tell(TreeEnded{});
  EXPECT_EQ(shim.tell(StopOrdered{}), "");
}

TEST(ShimBrain, ExitCodesMeanWhatTheContractSays) {
  const auto failed = [](int code, Order ordered) {
    return is_failure({.code = code, .ordered = ordered});
  };
  EXPECT_FALSE(failed(0, Order::run));
  EXPECT_FALSE(failed(75, Order::run));
  for (const int code : {1, 78, 127, 137, 143}) EXPECT_TRUE(failed(code, Order::run)) << code;
  for (const Order order : {Order::preempt, Order::stop, Order::kill}) {
    EXPECT_FALSE(failed(143, order));
    EXPECT_FALSE(failed(137, order));
    EXPECT_TRUE(failed(1, order));
  }
}

TEST(ShimBrain, TheExitRecordCarriesTheTimeOfTheEnd) {
  Shim shim = running({.allocation = {1, 7}, .ranks = {0}});
  const Actions actions = shim.brain.step(from_ms(4321), RankEnded{0, 0, 0});
  EXPECT_EQ(std::get<Append>(actions[0]).record.body["ended_boot_ms"].as_int(), 4321);
}

}  // namespace
}  // namespace dt::core::shim
