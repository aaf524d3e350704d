// Curves against a master: one request for many series, tails where they grew, finer points where
// one zooms, and neither gap nor double point when the master goes away and comes back.
#include "gui/data/curves.h"

#include <gtest/gtest.h>

#include "gui/data/series_list.h"
#include "gui/session.h"
#include "tests/unit/gui/fake_master.h"

namespace dt::gui {
namespace {

constexpr std::int64_t experiment = 7;
constexpr std::int64_t trial = 9;

class CurvesTest : public testing::Test {
 protected:
  CurvesTest() {
    master.edit([](FakeMaster::Rows& rows) {
      rows.add_experiment(experiment, "fashion");
      rows.add_trial(trial, experiment);
      rows.add_series(1, trial, 0, "training", "loss", std::vector<double>(100, 1.0));
    });
  }

  void grow(std::int64_t id, std::int64_t steps) {
    std::int64_t points = 0;
    master.edit([&](FakeMaster::Rows& rows) {
      auto& list = rows.points[id];
      for (std::int64_t i = 0; i < steps; ++i) list.push_back({list.back().step + 1, 2.0, 0});
      points = static_cast<std::int64_t>(list.size());
    });
    master.tell("series", std::to_string(id), experiment, trial, points);
  }

  static std::int64_t count(const Curves& curves, std::int64_t id) {
    return curves.find(id) == nullptr ? -1 : curves.find(id)->count();
  }
  // Every step from 1 on once, as far as the buckets say.
  static void expect_whole(const SeriesPoints& points, std::int64_t last) {
    std::int64_t next = 1;
    for (const SeriesPoint& point : points) {
      EXPECT_EQ(point.first_step, next);
      EXPECT_EQ(point.count, point.last_step - point.first_step + 1);
      next = point.last_step + 1;
    }
    EXPECT_EQ(next, last + 1);
  }

  FakeMaster master;
};

TEST_F(CurvesTest, AskOnceForManySeries) {
  std::vector<std::int64_t> ids;
  master.edit([&](FakeMaster::Rows& rows) {
    for (std::int64_t id = 1; id <= 60; ++id) {
      rows.add_series(id, trial, static_cast<int>(id), "training", "loss", {1, 2, 3});
      ids.push_back(id);
    }
  });
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  Curves curves(session.master, session.live);
  curves.show_series(ids);
  ASSERT_TRUE(soon([&] { return curves.is_loaded(); }));
  EXPECT_EQ(master.calls("GetSeries"), 1);
  EXPECT_EQ(count(curves, 60), 3);
}

TEST_F(CurvesTest, FetchOnlyTheTailOfWhatGrew) {
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  Curves curves(session.master, session.live);
  curves.show_series({1});
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 100; }));
  grow(1, 50);
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 150; }));
  expect_whole(curves.find(1)->overview(), 150);
  const auto requests = master.series_requests();
  EXPECT_EQ(requests.back().from_step(), 100);
  EXPECT_FALSE(requests.back().has_to_step());
}

TEST_F(CurvesTest, ReadAllAgainWhenAnOlderStepWasReportedLate) {
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  master.edit([](FakeMaster::Rows& rows) {
    auto& points = rows.points[1];
    points.erase(points.begin() + 10);
  });
  Curves curves(session.master, session.live);
  curves.show_series({1});
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 99; }));
  master.edit([](FakeMaster::Rows& rows) {
    auto& points = rows.points[1];
    points.insert(points.begin() + 10, FakeMaster::Point{11, 5, 0});
  });
  master.tell("series", "1", experiment, trial, 100);
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 100; }));
  expect_whole(curves.find(1)->overview(), 100);
}

TEST_F(CurvesTest, StopAskingWhenALaterAttemptHidesSomeOfThePointsToldOf) {
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  Curves curves(session.master, session.live);
  curves.show_series({1});
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 100; }));
  master.tell("series", "1", experiment, trial, 130);                 // 30 of which are hidden
  ASSERT_TRUE(soon([&] { return master.calls("GetSeries") == 3; }));  // first, tail, all
  grow(1, 5);
  master.tell("series", "1", experiment, trial, 135);
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 105; }));
  const int calls = master.calls("GetSeries");
  grow(1, 5);
  master.tell("series", "1", experiment, trial, 140);
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 110; }));
  EXPECT_LE(master.calls("GetSeries"), calls + 2);
}

TEST_F(CurvesTest, ZoomingFetchesFinerPointsOfTheRange) {
  master.edit([](FakeMaster::Rows& rows) {
    rows.add_series(1, trial, 0, "training", "loss", std::vector<double>(20'000, 1.0));
  });
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  Curves curves(session.master, session.live);
  curves.show_series({1});
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 20'000; }));
  const std::size_t coarse = curves.find(1)->composed().size();
  EXPECT_LT(coarse, 2'000U);
  curves.show_range(StepRange{5'000, 5'100});
  ASSERT_TRUE(soon([&] { return curves.find(1)->composed().size() > coarse + 50; }));
  curves.show_range(std::nullopt);
  EXPECT_EQ(curves.find(1)->composed().size(), coarse);
}

TEST_F(CurvesTest, AMasterThatGoesAndComesBackLeavesNoGapAndNoDoublePoint) {
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  Curves curves(session.master, session.live);
  curves.show_series({1});
  ASSERT_TRUE(soon([&] { return count(curves, 1) == 100; }));
  for (int round = 1; round <= 3; ++round) {
    master.stop();
    ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::offline; }));
    EXPECT_GE(count(curves, 1), 100) << "what was there stays";
    grow(1, 40);
    master.start();
    grow(1, 10);
    ASSERT_TRUE(soon([&] { return count(curves, 1) == 100 + 50 * round; })) << count(curves, 1);
    expect_whole(curves.find(1)->composed(), 100 + 50 * round);
    EXPECT_TRUE(curves.problem().ok());
  }
}

TEST_F(CurvesTest, TheListOfSeriesNoticesNewOnes) {
  Session session(master.credentials());
  ASSERT_TRUE(soon([&] { return session.live.state() == Live::State::online; }));
  SeriesList list(session.master, session.live);
  list.show_trials({trial});
  ASSERT_TRUE(soon([&] { return list.is_loaded(); }));
  EXPECT_EQ(list.rows().size(), 1U);
  master.edit(
      [](FakeMaster::Rows& rows) { rows.add_series(2, trial, 0, "validation", "loss", {1}); });
  master.tell("series", "2", experiment, trial, 1);
  ASSERT_TRUE(soon([&] { return list.rows().size() == 2; }));
}

}  // namespace
}  // namespace dt::gui
