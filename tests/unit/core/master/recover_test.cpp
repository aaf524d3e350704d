// A master that is killed at any moment goes on as if nothing had happened: random lives of a
// cluster, once with restarts and once with the agents' links cut at the same moments instead.
#include "base/rng.h"
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

enum class Blow { restart_master, cut_links };

class Life {
 public:
  Life(std::uint64_t seed, Blow blow) : dice_(seed), blow_(blow), cluster("2x2 1x4") {}

  void begin() {
    cluster.submit(random_search(6, 2, "max_restarts: 2\n"), "r1");
    cluster.submit(halving(6, 3), "r2");
  }

  std::string story() const {
    return cat(cluster.experiments(), '\n', cluster.trials(), '\n', cluster.outcomes(), '\n',
               text_of(cluster.rows.load(cluster.now)));
  }

  void act() {
    switch (dice_.between(1, 12)) {
      case 1: return strike();
      case 2: return with_running([&](int trial) { cluster.exit_all(trial, 0); });
      case 3: return with_running([&](int trial) { cluster.exit(trial, 0, 1); });
      case 4: return with_running([&](int trial) { cluster.lose(trial, 0); });
      case 5:
        return with_running([&](int trial) {
          cluster.checkpoint(trial, cat("c", ++checkpoints_), ++steps_[trial]);
        });
      case 6: return upload_one();
      case 7: return cluster.wait(Duration(dice_.between(1, 2'000)));
      case 8: return verb();
      case 9: return cluster.reboot(cat("n", dice_.between(1, 3)));
      default:
        return with_running([&](int trial) {
          cluster.report(trial, ++steps_[trial],
                         dice_.chance(10) ? Value("NaN") : Value(dice_.unit()));
        });
    }
  }

 private:
  void strike() {
    if (blow_ == Blow::restart_master) return cluster.restart();
    for (const char* id : {"n1", "n2", "n3"}) cluster.cut(id);
    for (const char* id : {"n1", "n2", "n3"}) cluster.join(id);
  }

  void verb() {
    const int experiment = static_cast<int>(dice_.between(1, 2));
    cluster.order(experiment, dice_.chance(50) ? Verb::pause : Verb::activate);
  }

  void upload_one() {
    for (const auto& [id, row] : cluster.rows.checkpoints) {
      if (row.state != CheckpointState::pending) continue;
      return cluster.upload(static_cast<int>(row.trial.value), id.value);
    }
  }

  template <class Act>
  void with_running(const Act& act) {
    std::vector<int> running;
    for (const auto& [id, row] : cluster.rows.allocations) {
      if (row.state == AllocationState::running && row.order == Order::run) {
        running.push_back(static_cast<int>(row.trial.value));
      }
    }
    if (running.empty()) return;
    act(running[static_cast<std::size_t>(dice_.between(0, std::int64_t(running.size()) - 1))]);
  }

  Rng dice_;
  Blow blow_;
  int checkpoints_ = 0;
  std::map<int, std::int64_t> steps_;

 public:
  Cluster cluster;
};

TEST(Recover, ARestartAtAnyMomentChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Life struck(seed, Blow::restart_master);
    Life undisturbed(seed, Blow::cut_links);
    struck.begin();
    undisturbed.begin();
    for (int i = 0; i < 80; ++i) {
      struck.act();
      undisturbed.act();
    }
    ASSERT_EQ(struck.story(), undisturbed.story());
  }
}

// After every step: a brain from the rows is the brain that lives (links aside, which are cut).
TEST(Recover, WhatIsDumpedComesBack) {
  for (std::uint64_t seed = 100; seed <= 110; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Life life(seed, Blow::cut_links);
    life.begin();
    for (int i = 0; i < 60; ++i) {
      life.act();
      Master copy{MasterOptions{}};
      copy.recover(life.cluster.now, life.cluster.master->dump());
      ASSERT_EQ(text_of(copy.dump()), text_of(life.cluster.master->dump()));
    }
  }
}

TEST(Recover, AnInboxRowThatWasStoredButNotReadIsReadThen) {
  Cluster cluster("1x1");
  cluster.submit(random_search(1, 1));
  cluster.rows.inbox.emplace(
      InboxId{500}, InboxRow{.id = {500},
                             .allocation = {1, 1},
                             .seq = 1,
                             .kind = RecordKind::metrics,
                             .body = Value::Object{{"group", "validation"},
                                                   {"step", 3},
                                                   {"values", Value::Object{{"loss", 0.5}}}}});
  cluster.restart();
  EXPECT_EQ(cluster.rows.trials.at({1}).best_metric, 0.5);
  EXPECT_TRUE(cluster.rows.inbox.empty());
}

TEST(Recover, SaysNothingToAgentsBeforeTheyJoin) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  Master copy{MasterOptions{}};
  for (const MasterAction& action :
       copy.recover(cluster.now, cluster.rows.load(cluster.now)).actions) {
    EXPECT_TRUE(std::holds_alternative<WakeMasterAt>(action));
  }
}

TEST(Recover, DeadlinesStartAgain) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.wait(Duration(150'000));
  cluster.agent("n1").link = 0;  // both are gone; only the master returns
  cluster.restart();
  cluster.wait(Duration(199'999));
  EXPECT_EQ(cluster.outcomes(), "1.1 -") << "the master was away, not the agent";
  cluster.wait(Duration(1));
  EXPECT_EQ(cluster.outcomes(), "1.1 infrastructure: agent n1 was silent for too long");
}

TEST(Recover, AnAttemptWhoseCheckpointIsGoneBeginsAnew) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a");
  cluster.agent("n1").obeys = false;
  cluster.exit_all(1, 75);
  ASSERT_EQ(cluster.wanted("n1"), "1.2 prepare");
  cluster.rows.checkpoints.erase({"a"});
  cluster.restart();
  EXPECT_EQ(cluster.wanted("n1"), "1.2 kill");
  cluster.agent("n1").obeys = true;
  cluster.beat("n1");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{});
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
}

TEST(LatestTime, IsThatOfAnyRow) {
  EXPECT_EQ(to_ms(latest_time({})), 0);
  Recovered rows;
  rows.experiments = {{.created_ms = 5}};
  rows.trials = {{.created_ms = 6, .ended_ms = 9}};
  rows.allocations = {{.created_ms = 7, .started_ms = 8}};
  EXPECT_EQ(to_ms(latest_time(rows)), 9);
  rows.agents = {{.joined_ms = 10}};
  rows.checkpoints = {{.created_ms = 11}};
  EXPECT_EQ(to_ms(latest_time(rows)), 11);
  rows.requests = {{.request_id = "r", .created_ms = 12}};
  EXPECT_EQ(to_ms(latest_time(rows)), 12);
}

}  // namespace
}  // namespace dt::core
