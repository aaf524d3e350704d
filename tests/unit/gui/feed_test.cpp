// The experiments of a window: one list, then news; kept while the master is away.
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QThreadPool>
#include <chrono>
#include <future>
#include <semaphore>

#include "base/cat.h"
#include "gui/data/actions.h"
#include "gui/session.h"
#include "gui/widgets/experiment_orders.h"
#include "tests/unit/gui/fake_master.h"

namespace dt::gui {
namespace {

class Feed : public testing::Test {
 protected:
  Feed() {
    master.edit([](FakeMaster::Rows& rows) {
      for (std::int64_t id = 1; id <= 2'500; ++id) rows.add_experiment(id, cat("run-", id));
    });
  }

  bool is_online(const Session& session) { return session.live.state() == Live::State::online; }
  bool is_loaded(const Session& session) {
    return soon([&] { return session.experiments.is_loaded(); });
  }
  QString state_of(const Session& session, std::int64_t id) {
    const ExperimentRow* row = session.experiments.find(id);
    return row ? row->state : QString();
  }

  FakeMaster master;
};

TEST_F(Feed, ListsAllByWholePages) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  EXPECT_EQ(session.experiments.size(), 2'500u);
  EXPECT_EQ(session.experiments.rows().front().id, 2'500);  // newest first
  EXPECT_EQ(master.calls("ListExperiments"), 3);            // a thousand each
  EXPECT_EQ(master.calls("Watch"), 1);
}

TEST_F(Feed, AsksOnlyForWhatChangedAndInBatches) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  master.edit([](FakeMaster::Rows& rows) { rows.experiments[7].set_state("PAUSED"); });
  for (int i = 0; i < 50; ++i) master.tell("trial", cat(i), 7);
  ASSERT_TRUE(soon([&] { return state_of(session, 7) == "PAUSED"; }));
  EXPECT_EQ(master.calls("ListExperiments"), 3);
  EXPECT_LE(master.calls("GetExperiment"), 3);
}

TEST_F(Feed, ManyChangesAtOnceAreOneList) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  master.edit([](FakeMaster::Rows& rows) {
    for (auto& [id, row] : rows.experiments) row.set_state("PAUSED");
  });
  for (std::int64_t id = 1; id <= 500; ++id) master.tell("experiment", cat(id), id);
  ASSERT_TRUE(
      soon([&] { return state_of(session, 1) == "PAUSED" && state_of(session, 500) == "PAUSED"; }));
  EXPECT_EQ(master.calls("GetExperiment"), 0);
}

TEST_F(Feed, KeepsWhatItHasWhileTheMasterIsAwayAndCatchesUp) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  master.stop();
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::offline; }));
  EXPECT_EQ(session.experiments.size(), 2'500u);
  EXPECT_FALSE(session.live.problem().message().empty());
  master.edit([](FakeMaster::Rows& rows) { rows.add_experiment(2'501, "made meanwhile"); });
  master.start();
  ASSERT_TRUE(soon([&] { return session.experiments.size() == 2'501; }));
  EXPECT_TRUE(is_online(session));
}

TEST_F(Feed, TellsWhenOneEnds) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  std::vector<std::int64_t> ended;
  QObject::connect(&session.experiments, &ExperimentFeed::ended,
                   [&](const ExperimentRow& row) { ended.push_back(row.id); });
  master.edit([](FakeMaster::Rows& rows) { rows.experiments[9].set_state("COMPLETED"); });
  master.tell("experiment", "9", 9);
  ASSERT_TRUE(soon([&] { return !ended.empty(); }));
  master.tell("experiment", "9", 9);
  const int asked = master.calls("GetExperiment");
  ASSERT_TRUE(soon([&] { return master.calls("GetExperiment") > asked; }));
  EXPECT_EQ(ended, std::vector<std::int64_t>{9});  // once
}

TEST_F(Feed, ALateAnswerOfAClosedWindowDrops) {
  master.hold("ListExperiments");
  auto session = std::make_unique<Session>(master.credentials());
  ASSERT_TRUE(soon([&] { return master.calls("ListExperiments") == 1; }));
  session.reset();
  master.release();
}

TEST(Master, EndsWithoutWaitingForItsWorkers) {
  const FakeMaster fake;
  std::binary_semaphore has_begun(0), may_end(0);
  std::promise<bool> was_let;
  {
    Master master(fake.credentials());
    const Call call = master.run<int>(
        [&](const client::Client&, std::stop_token) -> Result<int> {
          has_begun.release();
          was_let.set_value(may_end.try_acquire_for(std::chrono::seconds(20)));
          return 0;
        },
        [](Result<int>) { FAIL() << "the answer came to one that is gone"; });
    has_begun.acquire();
  }
  may_end.release();
  EXPECT_TRUE(was_let.get_future().get()) << "the worker was waited for";
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
}

TEST_F(Feed, AVerbIsOneCallForAllAndOffersAWayBack) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  std::function<void()> undo;
  QString told;
  QObject::connect(&session, &Session::tell_undoable,
                   [&](const QString& text, const std::function<void()>& back) {
                     told = text;
                     undo = back;
                   });
  change_experiments(session, Verb::pause, {3, 4}, nullptr);
  ASSERT_TRUE(soon([&] { return state_of(session, 3) == "PAUSED" && undo; }));
  EXPECT_EQ(told, "paused 2 experiments");
  ASSERT_EQ(master.changes().size(), 1u);
  EXPECT_EQ(master.changes()[0].ids_size(), 2);
  undo();
  ASSERT_TRUE(
      soon([&] { return state_of(session, 3) == "ACTIVE" && state_of(session, 4) == "ACTIVE"; }));
}

TEST_F(Feed, ARefusedVerbIsTold) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  QString problem;
  QObject::connect(&session, &Session::tell_problem, [&](const QString& text) { problem = text; });
  master.refuse("ChangeExperiments", grpc::StatusCode::PERMISSION_DENIED,
                "only its owner may pause it");
  change_experiments(session, Verb::pause, {3}, nullptr);
  ASSERT_TRUE(soon([&] { return !problem.isEmpty(); }));
  EXPECT_EQ(problem, "Pause: only its owner may pause it");
}

TEST_F(Feed, OfManyEachThatFailsIsNamed) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  QString problem, told;
  QObject::connect(&session, &Session::tell_problem, [&](const QString& text) { problem = text; });
  QObject::connect(&session, &Session::tell_undoable, [&](const QString& text) { told = text; });
  change_experiments(session, Verb::pause, {3, 9'001, 9'002}, nullptr);
  ASSERT_TRUE(soon([&] { return !told.isEmpty(); }));
  EXPECT_EQ(told, "paused experiment 3");
  EXPECT_EQ(problem, "Pause: experiment 9001 does not exist\nexperiment 9002 does not exist");
}

TEST_F(Feed, ADeletedOneGoes) {
  Session session(master.credentials());
  ASSERT_TRUE(is_loaded(session));
  int lists = 0;
  QObject::connect(&session.experiments, &ExperimentFeed::loaded, [&] { ++lists; });
  master.edit([](FakeMaster::Rows& rows) { rows.experiments.erase(7); });
  master.tell("experiment", "7", 7);
  ASSERT_TRUE(soon([&] { return session.experiments.find(7) == nullptr; }));
  EXPECT_EQ(session.experiments.size(), 2'499u);
  EXPECT_EQ(lists, 1);  // pages show all rows anew
  EXPECT_EQ(master.calls("ListExperiments"), 3);
}

}  // namespace
}  // namespace dt::gui
