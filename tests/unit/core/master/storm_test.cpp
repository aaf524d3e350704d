// Storms: nodes vanish, return, reboot and disobey, people change their minds, the master dies. The
// cluster checks P2 and the rows after every step; when the storm is over all work must end (P6).
#include "base/rng.h"
#include "core/experiment/attempt_end.h"
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

class Storm {
 public:
  explicit Storm(std::uint64_t seed)
      : dice_(seed), cluster("2x2 1x4", {.agent_lease = Duration(seed % 3 == 0 ? 0 : 30'000)}) {
    cluster.submit(random_search(5, 2, "max_restarts: 3\n"));
    cluster.submit(halving(8, 4));
    cluster.submit(single(6));
  }

  void blow() {
    const std::string node = cat("n", dice_.between(1, 3));
    FakeAgent& agent = cluster.agent(node);
    switch (dice_.between(1, 15)) {
      case 1: return cut(agent, node);
      case 2: return back(agent, node);
      case 3: return agent.link != 0 ? cluster.reboot(node) : void();
      case 4: return disobey(agent, node);
      case 5: return leave(agent, node);
      case 6: return cluster.restart();
      case 7: return cluster.wait(Duration(dice_.between(1, 90'000)));
      case 8: return with_open([&](int trial) { trouble(trial); });
      case 9: return order();
      case 10: return static_cast<void>(cluster.forget(node));
      default: return with_open([&](int trial) { work(trial); });
    }
  }

  // Everybody is back and does what is asked.
  void calm() {
    for (const char* node : {"n1", "n2", "n3"}) {
      FakeAgent& agent = cluster.agent(node);
      agent.obeys = true;
      agent.link == 0 ? cluster.join(node) : cluster.beat(node);
    }
    for (int experiment = 1; experiment <= 3; ++experiment) {
      cluster.order(experiment, Verb::activate);
    }
    for (int round = 0; round < 400 && !cluster.master->dump().experiments.empty(); ++round) {
      for (const char* node : {"n1", "n2", "n3"}) cluster.beat(node);
      upload_all();
      read_exits();
      with_open([&](int trial) { finish(trial); });
      cluster.wait(Duration(10'000));
    }
  }

 private:
  void cut(FakeAgent& agent, const std::string& node) {
    if (agent.link != 0) cluster.cut(node);
  }

  // A node that was cut off for longer than its lease has killed what it held.
  void back(FakeAgent& agent, const std::string& node) {
    if (agent.link != 0) return;
    if (dice_.chance(50)) agent.held.clear();
    cluster.join(node);
  }

  void disobey(FakeAgent& agent, const std::string& node) {
    agent.obeys = !agent.obeys;
    if (agent.obeys) cluster.beat(node);
  }

  void leave(FakeAgent& agent, const std::string& node) {
    if (agent.link == 0) return;
    agent.held.clear();
    cluster.beat(node, true);
    agent.link = 0;
  }

  void order() {
    const int experiment = static_cast<int>(dice_.between(1, 3));
    const auto verb = static_cast<Verb>(dice_.between(0, dice_.chance(15) ? 3 : 1));
    cluster.order(experiment, verb);
  }

  bool is_held(int trial, int node) {
    const AllocationRow& row = cluster.attempt(trial);
    const AllocationNode& share = row.nodes[static_cast<std::size_t>(node)];
    return cluster.agent(share.agent.value).held.contains(row.id) && !share.released;
  }

  void trouble(int trial) {
    if (!is_held(trial, 0)) return;
    switch (dice_.between(1, 4)) {
      case 1: return cluster.lose(trial, 0);
      case 2: return cluster.exit_heard(trial, 0, 1);
      case 3: return cluster.exit(trial, 0, dice_.chance(50) ? 75 : 78);
      default: return cluster.exit(trial, 0, 9);
    }
  }

  void work(int trial) {
    if (!is_held(trial, 0)) return;
    const std::int64_t at = ++steps_[trial];
    cluster.report(trial, at, dice_.unit());
    if (dice_.chance(30)) cluster.checkpoint(trial, cat("c", ++checkpoints_), at);
    if (dice_.chance(30)) upload_all();
  }

  void finish(int trial) {
    cluster.report(trial, steps_[trial] += 10, 0.5);
    const int ranks = cluster.attempt(trial).size;
    for (int rank = 0; rank < ranks; ++rank) {
      if (is_open(trial) && !was_heard(trial, rank)) cluster.exit(trial, rank, 0);
    }
  }

  bool is_open(int trial) {
    const AllocationRow& row = cluster.attempt(trial);
    return row.state == AllocationState::running && row.order == Order::run;
  }

  bool was_heard(int trial, int rank) {
    for (const AllocationNode& node : cluster.attempt(trial).nodes) {
      for (const RankExit& exit : node.exits) {
        if (exit.rank == rank) return true;
      }
    }
    return false;
  }

  // Spools are relayed in the end.
  void read_exits() {
    std::vector<std::pair<int, int>> heard;
    for (const auto& [id, row] : cluster.rows.allocations) {
      if (row.state >= AllocationState::settling) continue;
      for (const AllocationNode& node : row.nodes) {
        for (const RankExit& exit : node.exits) {
          if (!was_read(node, exit.rank)) {
            heard.emplace_back(static_cast<int>(row.trial.value), exit.rank);
          }
        }
      }
    }
    for (const auto& [trial, rank] : heard) cluster.exit_read(trial, rank);
  }

  void upload_all() {
    std::vector<std::pair<int, std::string>> pending;
    for (const auto& [id, row] : cluster.rows.checkpoints) {
      if (row.state == CheckpointState::pending) {
        pending.emplace_back(static_cast<int>(row.trial.value), id.value);
      }
    }
    for (const auto& [trial, id] : pending) cluster.upload(trial, id);
  }

  template <class Act>
  void with_open(const Act& act) {
    std::vector<int> open;
    for (const auto& [id, row] : cluster.rows.allocations) {
      const int trial = static_cast<int>(row.trial.value);
      if (row.state == AllocationState::running && row.order == Order::run) open.push_back(trial);
    }
    if (open.empty()) return;
    act(open[static_cast<std::size_t>(dice_.between(0, std::int64_t(open.size()) - 1))]);
  }

  Rng dice_;
  int checkpoints_ = 0;
  std::map<int, std::int64_t> steps_;

 public:
  Cluster cluster;
};

TEST(Storm, AllWorkEndsWhenItIsOver) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Storm storm(seed);
    for (int i = 0; i < 150 && !testing::Test::HasFailure(); ++i) storm.blow();
    storm.calm();
    ASSERT_FALSE(testing::Test::HasFailure());
    for (const auto& [id, row] : storm.cluster.rows.experiments) {
      ASSERT_TRUE(is_terminal(row.state)) << storm.cluster.experiments() << '\n'
                                          << storm.cluster.trials() << '\n'
                                          << text_of(storm.cluster.rows.load(storm.cluster.now));
    }
    for (const auto& [id, row] : storm.cluster.rows.allocations) {
      ASSERT_EQ(row.state, AllocationState::ended) << to_text(id);
    }
  }
}

}  // namespace
}  // namespace dt::core
