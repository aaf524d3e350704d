// The decision order of an attempt's end, as one table.
#include "core/experiment/attempt_end.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/cat.h"

namespace dt::core {
namespace {

const char* to_text(EndKind kind) {
  switch (kind) {
    case EndKind::completed: return "completed";
    case EndKind::stopped: return "stopped";
    case EndKind::canceled: return "canceled";
    case EndKind::errored: return "errored";
    case EndKind::invalid_hparams: return "invalid_hparams";
    case EndKind::preempted: return "preempted";
    case EndKind::infrastructure: return "infrastructure";
    case EndKind::failed: return "failed";
  }
  return "?";
}

Order order_named(const std::string& name) {
  if (name == "preempt") return Order::preempt;
  if (name == "stop") return Order::stop;
  if (name == "kill") return Order::kill;
  return Order::run;
}

// A gang of one node a word: "0", "75", "3", "sig9", "oom", "143@preempt" (under an order), "lost",
// "bind" (could not start, infrastructure), "make" (prepare failed), "none" (ended, never ran).
AllocationRow gang(const std::string& words) {
  AllocationRow row{.id = {1, 1}, .size = 0, .order = Order::run};
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    AllocationNode node{.agent = {cat('n', row.size + 1)},
                        .node_rank = row.size,
                        .first_rank = row.size,
                        .slot_ids = {"cpu0"},
                        .phase = AllocationPhase::ended,
                        .released = true};
    if (word == "lost") {
      node.phase = AllocationPhase::lost;
    } else if (word == "bind" || word == "make") {
      node.failure = cat(word, " failed");
      node.infrastructure = word == "bind";
    } else if (word != "none") {
      RankExit exit{.rank = row.size};
      exit.out_of_memory = word == "oom";
      if (word == "oom") word = "sig9";
      if (word.starts_with("sig")) {
        exit.signal = std::stoi(word.substr(3));
        exit.code = 128 + exit.signal;
      } else {
        exit.code = std::stoi(word);
      }
      if (const auto at = word.find('@'); at != std::string::npos) {
        exit.ordered = order_named(word.substr(at + 1));
      }
      node.exits = {exit};
      node.exits_read = {row.size};
    }
    ++row.size;
    row.nodes.push_back(node);
  }
  return row;
}

std::string judged(const TrialRow& trial, AllocationRow row) {
  const AttemptEnd end = judge_end(trial, row);
  return cat(to_text(end.kind), end.message.empty() ? "" : ": ", end.message);
}

std::string judged(const std::string& words) { return judged({}, gang(words)); }

TEST(AttemptEnd, IsJudgedInOneOrder) {
  EXPECT_EQ(judged("0 0"), "completed");
  EXPECT_EQ(judged("0 78 1"), "invalid_hparams: rank 1 exited with 78");
  EXPECT_EQ(judged("make bind"), "errored: make failed");
  EXPECT_EQ(judged("75 75"), "preempted");
  EXPECT_EQ(judged("75 1"), "preempted") << "its peer left the process group";
  EXPECT_EQ(judged("0 143@preempt"), "preempted");
  EXPECT_EQ(judged("75 137@preempt"), "preempted: rank 1 exited with 137") << "had to be killed";
  AllocationRow late = gang("75 137@kill");  // the master's word came before the shim's own
  late.preempt_deadline_ms = 1;
  EXPECT_EQ(judged({}, late), "preempted: rank 1 exited with 137");
  EXPECT_EQ(judged("bind none"), "infrastructure: bind failed");
  EXPECT_EQ(judged("lost 1"), "infrastructure: agent n1 lost the allocation");
  EXPECT_EQ(judged("0 3"), "failed: rank 1 exited with 3");
  EXPECT_EQ(judged("none none"), "infrastructure: its node ended it before its time");
}

TEST(AttemptEnd, NamesTheLikeliestCause) {
  EXPECT_EQ(judged("sig15 oom"),
            "failed: rank 1 was killed by the kernel: the node had no memory left (OOM)");
  EXPECT_EQ(judged("sig15 sig9 sig15"), "failed: rank 1 was ended by signal 9");
  EXPECT_EQ(judged("sig15 sig9 3"), "failed: rank 2 exited with 3");
  EXPECT_EQ(judged("137@kill 5"), "failed: rank 1 exited with 5");
}

TEST(AttemptEnd, ADeathUnderAnOrderCountsAsTheOrder) {
  EXPECT_EQ(end_of_rank({.code = 143, .ordered = Order::preempt}), RankEnd::preempted);
  EXPECT_EQ(end_of_rank({.code = 137, .signal = 9, .ordered = Order::stop}), RankEnd::ordered);
  EXPECT_EQ(end_of_rank({.code = 1, .ordered = Order::kill}), RankEnd::ordered);
  EXPECT_EQ(end_of_rank({.code = 1, .ordered = Order::preempt}), RankEnd::failed);
  EXPECT_EQ(end_of_rank({.code = 143}), RankEnd::failed) << "nobody had asked for it";
}

TEST(AttemptEnd, WhatTheTrialIsOutranksHowItEnded) {
  EXPECT_EQ(judged({.stopped_by_searcher = true}, gang("1 137@kill")), "stopped");
  EXPECT_EQ(judged({.state = TrialState::stopping_canceled}, gang("0 0")), "canceled: canceled");
  EXPECT_EQ(judged({.state = TrialState::stopping_killed}, gang("3 0")), "canceled: killed");
  EXPECT_EQ(judged({.state = TrialState::stopping_error, .message = "why"}, gang("0 0")),
            "errored: why");
}

TEST(AttemptEnd, WhatWeWithdrewBeforeItRanIsPreempted) {
  AllocationRow row = gang("none bind");
  row.order = Order::kill;
  row.preempt_deadline_ms = 1;
  EXPECT_EQ(judged({}, row), "preempted");
}

TEST(AttemptEnd, ALostNodeWhoseExitsWereAllReadIsJudgedByThem) {
  AllocationRow row = gang("0 0");
  row.nodes[0].phase = AllocationPhase::lost;
  EXPECT_EQ(judged({}, row), "completed");
}

TEST(AttemptEnd, IsSettledOnlyWhenEveryHeardExitWasRead) {
  AllocationRow row = gang("0 0");
  EXPECT_TRUE(is_settled(row));
  row.nodes[1].exits_read.clear();
  EXPECT_FALSE(is_settled(row));
  row.nodes[1].phase = AllocationPhase::lost;
  EXPECT_TRUE(is_settled(row)) << "nothing more will come";
  row.nodes[1].released = false;
  EXPECT_FALSE(is_settled(row));
}

TEST(AttemptEnd, TroubleIsAnyEndButZeroAndSeventyFive) {
  EXPECT_EQ(trouble_of(gang("0 75")), "");
  EXPECT_EQ(trouble_of(gang("143@preempt 137@stop")), "");
  EXPECT_EQ(trouble_of(gang("0 78")), "rank 1 exited with 78");
  EXPECT_EQ(trouble_of(gang("0 sig6")), "rank 1 was ended by signal 6");
  EXPECT_EQ(trouble_of(gang("0 137@kill")), "rank 1 exited with 137");
  EXPECT_EQ(trouble_of(gang("0 lost")), "agent n2 lost the allocation");
  EXPECT_EQ(trouble_of(gang("0 none")), "agent n2 ended the allocation before its ranks ran");
}

}  // namespace
}  // namespace dt::core
