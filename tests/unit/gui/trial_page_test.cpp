// The pages of a trial, of logs and of a comparison, against a master.
#include "gui/pages/trial_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include "base/cat.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/logs_page.h"
#include "gui/session.h"
#include "gui/widgets/chart_grid.h"
#include "gui/widgets/log_panel.h"
#include "gui/widgets/log_view.h"
#include "tests/unit/gui/fake_master.h"
#include "tests/unit/gui/look.h"

namespace dt::gui {
namespace {

class TrialPageTest : public testing::Test {
 protected:
  TrialPageTest() {
    master.edit([](FakeMaster::Rows& rows) {
      rows.add_experiment(7, "fashion").set_config_json(R"({"searcher": {"metric": "loss"}})");
      for (std::int64_t id = 9; id <= 10; ++id) {
        rows.add_trial(id, 7, "RUNNING", cat(R"({"lr": )", id, "}"));
        auto& attempt = *rows.trials[id].add_attempts();
        attempt.set_attempt(1);
        attempt.set_size(2);
        for (int rank = 0; rank < 2; ++rank) {
          rows.add_series(id * 10 + rank, id, rank, "training", "loss", {3, 2, 1});
        }
        rows.add_series(id * 10 + 2, id, 0, "validation", "loss", {2.5, 1.5});
      }
      for (int i = 0; i < 200; ++i) rows.add_log(9, cat("step ", i), i % 2);
    });
  }

  Chart* chart(QWidget& page, const char* key) {
    return page.findChild<ChartGrid*>()->chart(QString::fromUtf8(key));
  }
  bool shows(QWidget& page, const char* words) {
    return words_in(page).contains(QString::fromUtf8(words));
  }
  void show(QWidget& page) {
    page.resize(1100, 700);
    page.show();
  }

  FakeMaster master;
  std::unique_ptr<Session> session = std::make_unique<Session>(master.credentials());
};

TEST_F(TrialPageTest, ShowsTrainingAndValidationInOneChartWithTheBandOfItsRanks) {
  TrialPage page(*session, 9);
  show(page);
  ASSERT_TRUE(soon([&] {
    return chart(page, "loss") != nullptr && chart(page, "loss")->curves().size() == 2 &&
           !chart(page, "loss")->curves()[0].points.empty();
  }));
  const Curve& training = chart(page, "loss")->curves()[1];
  EXPECT_EQ(training.name, QStringLiteral("training"));
  EXPECT_EQ(training.points.size(), 3U);
  EXPECT_EQ(training.points[0].count, 2) << "both ranks";
}

TEST_F(TrialPageTest, GrowsWhileTheTrialRuns) {
  TrialPage page(*session, 9);
  show(page);
  const auto points = [&] {
    Chart* found = chart(page, "loss");
    return found == nullptr || found->curves().empty() ? 0 : found->curves()[0].points.size();
  };
  ASSERT_TRUE(soon([&] { return points() == 2; }));
  master.edit([](FakeMaster::Rows& rows) { rows.points[92].push_back({3, 1.0, 0}); });
  master.tell("series", "92", 7, 9, 3);
  EXPECT_TRUE(soon([&] { return points() == 3; }));
}

TEST_F(TrialPageTest, SaysWhatIsWrongInsteadOfItsTables) {
  master.refuse("GetTrialProvenance", grpc::StatusCode::UNIMPLEMENTED, "");
  TrialPage page(*session, 9);
  show(page);
  ASSERT_TRUE(soon([&] { return shows(page, "Trial 9"); }));
  page.findChild<QTabWidget*>()->setCurrentIndex(5);
  EXPECT_TRUE(soon([&] { return shows(page, "This master cannot"); }))
      << words_in(page).toStdString();
  TrialPage missing(*session, 12345);
  show(missing);
  EXPECT_TRUE(soon([&] { return shows(missing, "rial 12345 does not exist"); }));
}

TEST_F(TrialPageTest, TheLogFollowsFiltersAndFinds) {
  LogPage page(*session, {9, 0});
  show(page);
  LogPanel& panel = *page.findChild<LogPanel*>();
  ASSERT_TRUE(soon([&] { return panel.model().rows() == 200; }));
  EXPECT_TRUE(panel.view().is_following());
  master.edit([](FakeMaster::Rows& rows) { rows.add_log(9, "\x1b[31mERROR\x1b[0m at 200", 0); });
  master.tell("trial", "9", 7, 9);
  ASSERT_TRUE(soon([&] { return panel.model().rows() == 201; }));
  EXPECT_TRUE(panel.view().row_text(200).endsWith(QStringLiteral("ERROR at 200")));
  const auto edits = page.findChildren<QLineEdit*>();
  edits.front()->setText(QStringLiteral("STEP 19"));
  EXPECT_EQ(panel.model().rows(), 11);
  edits.front()->setText(QStringLiteral("nothing has this"));
  EXPECT_TRUE(soon([&] { return shows(page, "No line passes the filter"); }));
}

TEST_F(TrialPageTest, ALostLogGoesOnWhereItWas) {
  LogPage page(*session, {9, 0});
  show(page);
  LogPanel& panel = *page.findChild<LogPanel*>();
  ASSERT_TRUE(soon([&] { return panel.model().rows() == 200; }));
  std::int64_t fewest = 200;
  QObject::connect(&panel.model(), &LogModel::rows_changed,
                   [&] { fewest = std::min(fewest, panel.model().rows()); });
  master.stop();
  ASSERT_TRUE(soon([&] { return session->live.state() == Live::State::offline; }));
  EXPECT_EQ(panel.model().rows(), 200);
  master.edit([](FakeMaster::Rows& rows) { rows.add_log(9, "back", 0); });
  master.start();
  ASSERT_TRUE(soon([&] { return panel.model().rows() == 201; })) << panel.model().rows();
  EXPECT_TRUE(panel.view().row_text(200).endsWith(QStringLiteral("back")));
  EXPECT_EQ(fewest, 200) << "what was there stays, so nothing moves below the reader";
}

TEST_F(TrialPageTest, LogsOpenAtATime) {
  master.edit([](FakeMaster::Rows& rows) {
    std::int64_t time = 1'000'000;
    for (auto& line : rows.logs[9]) line.set_time_ms(time += 1'000);
  });
  LogPage page(*session, {9, 1'100'000});
  show(page);
  LogPanel& panel = *page.findChild<LogPanel*>();
  ASSERT_TRUE(soon([&] { return panel.view().current_row().has_value(); }));
  EXPECT_EQ(panel.model().line(*panel.view().current_row()).time_ms, 1'100'000);
  EXPECT_FALSE(panel.view().is_following());
}

TEST_F(TrialPageTest, ComparesTrialsByCurvesConfigurationAndValues) {
  ComparePage page(*session, {{Link::Kind::trial, 9, {}}, {Link::Kind::trial, 10, {}}});
  show(page);
  ASSERT_TRUE(soon([&] {
    return chart(page, "validation/loss") != nullptr &&
           chart(page, "validation/loss")->curves().size() == 2;
  }));
  auto* tabs = page.findChild<QTabWidget*>();
  tabs->setCurrentIndex(1);
  EXPECT_TRUE(soon([&] { return shows(page, "hparams.lr"); })) << words_in(page).toStdString();
  EXPECT_FALSE(shows(page, "searcher.metric")) << "it is equal";
  for (QCheckBox* all : page.findChildren<QCheckBox*>()) {
    if (all->isVisible()) all->setChecked(true);
  }
  EXPECT_TRUE(soon([&] { return shows(page, "searcher.metric"); }));
  tabs->setCurrentIndex(2);
  EXPECT_TRUE(soon([&] { return shows(page, "validation loss"); }));
}

TEST_F(TrialPageTest, AnExperimentStandsForItsBestTrialAndSaysSo) {
  master.edit([](FakeMaster::Rows& rows) { rows.experiments[7].set_best_trial_id(10); });
  ComparePage page(*session, {{Link::Kind::trial, 9, {}}, {Link::Kind::experiment, 7, {}}});
  show(page);
  EXPECT_TRUE(soon([&] { return shows(page, "experiment 7: trial 10 (its best)"); }));
}

// What a page costs does not grow with what it shows.
TEST_F(TrialPageTest, OpeningCostsAsManyRequestsForManySeriesAsForFew) {
  ASSERT_TRUE(soon([&] { return session->live.state() == Live::State::online; }));
  const auto cost = [&](std::int64_t trial) {
    const int before = master.all_calls();
    TrialPage page(*session, trial);
    show(page);
    EXPECT_TRUE(soon([&] {
      const auto keys = page.findChild<ChartGrid*>()->keys_in_sight();
      return !keys.empty() && !page.findChild<ChartGrid*>()->chart(keys[0])->curves().empty() &&
             !page.findChild<ChartGrid*>()->chart(keys[0])->curves()[0].points.empty();
    }));
    return master.all_calls() - before;
  };
  const int few = cost(9);
  master.edit([](FakeMaster::Rows& rows) {
    for (int i = 0; i < 300; ++i)
      rows.add_series(1'000 + i, 10, 0, "training", cat("metric ", i), {1, 2});
  });
  EXPECT_LE(cost(10), few + 1);
}

}  // namespace
}  // namespace dt::gui
