// The shim's brain under events in any order, those that a shell would never send included.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/cat.h"
#include "base/rng.h"
#include "core/agent/shim.h"

namespace dt::core::shim {
namespace {

Event random_event(Rng& rng, std::int64_t appended, Time now) {
  const int rank = static_cast<int>(rng.between(-1, 2));  // −1 and 2 are not of this node
  const auto soon = [&] { return now + Duration(rng.between(0, 30'000)); };
  switch (rng.between(0, 18)) {
    case 0: return Opened{};
    case 1: return PrepareEnded{static_cast<int>(rng.between(0, 1)), "why", rng.chance(20)};
    case 2: return PortBound{4711};
    case 3: return PortFailed{"no port"};
    case 4: return StartOrdered{};
    case 5: return PreemptOrdered{Duration(rng.between(0, 30'000))};
    case 6: return StopOrdered{};
    case 7: return rng.chance(20) ? Event(KillOrdered{}) : Event(Woke{});
    case 8: return LeaseExtended{soon(), soon()};
    case 9: return RankSpawned{rank};
    case 10: return SpawnFailed{rank, "no program"};
    case 11:
    case 12: return RankSaid{rank, rng.between(1, 20), RecordKind::metrics, {}};
    case 13: return RankConnected{rank, {}};
    case 14: return RankPrinted{rank, "stdout", "text"};
    case 15: return RankEnded{rank, static_cast<int>(rng.between(0, 2)), 0};
    case 16: return rng.chance(20) ? Event(TreeEnded{}) : Event(Woke{});
    case 17: return Synced{rng.between(0, appended)};
    default: return rng.chance(10) ? Event(Interrupted{"told to"}) : Event(Woke{});
  }
}

// What must hold whatever comes.
class Watcher {
 public:
  void see(const Action& action, const Brain& brain) {
    EXPECT_FALSE(finished_) << "an action after Finish";
    if (const auto* append = std::get_if<Append>(&action)) see_record(append->record);
    if (const auto* ack = std::get_if<Acknowledge>(&action)) {
      const auto found = place_of_.find({ack->rank, ack->rank_seq});
      ASSERT_NE(found, place_of_.end()) << "acknowledged what was never appended";
      EXPECT_LE(found->second, synced) << "acknowledged before it was on disk";
    }
    if (std::holds_alternative<KillTree>(action)) ++kills_;
    EXPECT_LE(kills_, 1);
    EXPECT_FALSE(killing() && std::holds_alternative<SpawnRank>(action));
    if (!std::holds_alternative<Finish>(action)) return;
    finished_ = true;
    EXPECT_TRUE(tree_ended) << "finished while a process may live";
    EXPECT_EQ(synced, appended) << "finished with records in memory";
    EXPECT_EQ(brain.status().phase, AllocationPhase::ended);
  }

  bool finished() const { return finished_; }

  std::int64_t appended = 0;
  std::int64_t synced = 0;
  bool tree_ended = false;  // said after KillTree

  bool killing() const { return kills_ > 0; }

 private:
  void see_record(const Record& record) {
    ++appended;
    EXPECT_EQ(record.seq, ++last_seq_[record.stream]) << "a gap in a stream";
    EXPECT_FALSE(ended_.contains(record.stream)) << "a record after the exit record";
    if (record.kind == RecordKind::exit) ended_.insert(record.stream);
    if (record.rank_seq == 0) return;
    const bool is_new =
        place_of_.emplace(std::pair(record.stream, record.rank_seq), appended).second;
    EXPECT_TRUE(is_new) << "a message was stored twice";
  }

  std::map<std::pair<int, std::int64_t>, std::int64_t> place_of_;  // of (rank, rank_seq)
  std::map<int, std::int64_t> last_seq_;
  std::set<int> ended_;
  int kills_ = 0;
  bool finished_ = false;
};

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : rng_(seed) {
    brain_ = Brain({.allocation = {1, 7},
                    .ranks = {0, 1},
                    .has_prepare = rng_.chance(30),
                    .binds_port = rng_.chance(30)});
  }

  void step(const Event& event) {
    if (const auto* synced = std::get_if<Synced>(&event)) {
      watcher_.synced = std::max(watcher_.synced, synced->appended);
    }
    if (std::holds_alternative<TreeEnded>(event) && watcher_.killing()) watcher_.tree_ended = true;
    for (const Action& action : brain_.step(now_, event)) watcher_.see(action, brain_);
    now_ += Duration(rng_.between(0, 3'000));
  }

  void rage() {
    step(Opened{});
    for (int i = 0; i < 120; ++i) step(random_event(rng_, watcher_.appended, now_));
  }

  // The shell does its part; a kill must then lead to the end.
  bool ends() {
    step(KillOrdered{});
    step(TreeEnded{});
    step(Synced{watcher_.appended});
    step(Synced{watcher_.appended});
    return watcher_.finished();
  }

 private:
  Rng rng_;
  Brain brain_{{}};
  Watcher watcher_;
  Time now_ = from_ms(1'000'000);
};

TEST(ShimBrain, KeepsItsPromisesUnderEventsInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Storm storm(seed);
    storm.rage();
    EXPECT_TRUE(storm.ends());
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace dt::core::shim
