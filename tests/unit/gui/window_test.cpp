// The window by keyboard and mouse: places, the way back, palette, menus, what comes back after a
// crash.
#include "gui/window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

#include "client/credentials.h"
#include "gui/data/settings.h"
#include "gui/widgets/connect_dialog.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/toasts.h"
#include "tests/unit/gui/fake_master.h"
#include "tests/unit/gui/look.h"
#include "tests/unit/gui/sample_cluster.h"

namespace dt::gui {
namespace {

class WindowTest : public testing::Test {
 protected:
  WindowTest() {
    Settings::get().clear();
    master.edit(add_sample_cluster);
  }

  std::unique_ptr<Window> open_window() {
    auto window = std::make_unique<Window>(master.credentials());
    window->show();
    window->activateWindow();
    EXPECT_TRUE(sees(*window, "fashion-asha")) << words_in(*window).toStdString();
    return window;
  }
  bool sees(const QWidget& widget, const QString& words) {
    return soon([&] { return words_in(widget).contains(words); });
  }
  TableView& table(const QWidget& window) {
    for (auto* view : window.findChildren<TableView*>()) {
      if (view->isVisibleTo(&window)) return *view;
    }
    ADD_FAILURE() << "no table is seen";
    std::abort();
  }
  template <class T>
  T* top_dialog() {
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      auto* dialog = qobject_cast<T*>(widget);
      if (dialog && dialog->isVisible()) return dialog;
    }
    return nullptr;
  }

  FakeMaster master;
};

TEST_F(WindowTest, KeysLeadToPlacesAndBack) {
  const auto window = open_window();
  QTest::keyClick(window.get(), Qt::Key_5, Qt::ControlModifier);
  EXPECT_TRUE(sees(*window, "2 agents, 5 of 12 slots in use"));
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_TRUE(sees(*window, "24 experiments"));
  QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
  EXPECT_TRUE(sees(*window, "2 agents"));
}

TEST_F(WindowTest, ThePaletteGoesWhereItIsTold) {
  const auto window = open_window();
  QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
  auto* edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  if (edit == nullptr) edit = top_dialog<QDialog>()->findChild<QLineEdit*>();
  ASSERT_NE(edit, nullptr);
  QTest::keyClicks(edit, "clust");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_TRUE(sees(*window, "2 agents, 5 of 12 slots in use"));
}

TEST_F(WindowTest, TypingFiltersAndAnErrorIsShown) {
  const auto window = open_window();
  auto* filter = window->findChild<FilterEdit*>();
  auto* edit = filter->findChild<QLineEdit*>();
  QTest::keyClicks(edit, "state = completed and best < 0.4");
  ASSERT_TRUE(soon([&] { return table(*window).sorted().rowCount() < 24; }));
  for (int row = 0; row < table(*window).sorted().rowCount(); ++row) {
    EXPECT_EQ(table(*window).sorted().index(row, 2).data().toString(), "completed");
  }
  const int rows = table(*window).sorted().rowCount();
  edit->selectAll();
  QTest::keyClicks(edit, "stat = completed");
  EXPECT_TRUE(sees(*window, "there is no column stat; did you mean state?"));
  EXPECT_EQ(table(*window).sorted().rowCount(), rows);  // the last good filter stays
}

TEST_F(WindowTest, NewsNeverMoveSelectionScrollOrWhatThePointerIsOn) {
  master.edit([](FakeMaster::Rows& rows) {
    for (std::int64_t id = 100; id < 400; ++id) rows.add_experiment(id, "fashion-asha");
  });
  const auto window = open_window();
  TableView& view = table(*window);
  view.selectRow(40);
  view.scrollTo(view.model()->index(40, 0), QAbstractItemView::PositionAtCenter);
  const QPoint pointer = view.visualRect(view.model()->index(41, 1)).center();
  QTest::mouseMove(view.viewport(), pointer);
  QApplication::processEvents();
  const auto below = [&] { return view.indexAt(pointer).siblingAtColumn(0).data().toString(); };
  const QString before = below();
  const auto selected = view.chosen_keys();
  const int scroll = view.verticalScrollBar()->value();
  master.edit([](FakeMaster::Rows& rows) { rows.add_experiment(500, "the newest"); });
  master.tell("experiment", "500", 500);
  ASSERT_TRUE(soon([&] { return window->session().experiments.find(500) != nullptr; }));
  QApplication::processEvents();
  EXPECT_EQ(below(), before);
  EXPECT_EQ(view.chosen_keys(), selected);
  EXPECT_EQ(view.verticalScrollBar()->value(), scroll);
}

TEST_F(WindowTest, KillingAsksOnceAndNamesWhatIsLost) {
  const auto window = open_window();
  change_experiments(window->session(), Verb::kill, {24}, window.get());
  auto* question = top_dialog<QDialog>();
  ASSERT_NE(question, nullptr);
  EXPECT_TRUE(words_in(*question).contains("Kill experiment 24, fashion-asha?"));
  EXPECT_TRUE(words_in(*question).contains("2 running trials will be stopped"));
  QTest::keyClick(question, Qt::Key_Return);  // Enter keeps
  EXPECT_TRUE(master.changes().empty());
  change_experiments(window->session(), Verb::kill, {24}, window.get());
  for (auto* button : top_dialog<QDialog>()->findChildren<QPushButton*>()) {
    if (button->text() == "Kill experiment") QTest::mouseClick(button, Qt::LeftButton);
  }
  ASSERT_TRUE(soon([&] { return master.changes().size() == 1; }));
  EXPECT_TRUE(sees(*window, "Killed experiment 24."));
}

TEST_F(WindowTest, TheMenuOffersWhatTheStateAllows) {
  const auto window = open_window();
  const auto titles = [&](const std::vector<Link>& links) {
    QStringList all;
    for (const LinkAction& action : actions_of(window->session(), links, nullptr)) {
      if (!action.title.isEmpty()) all.push_back(action.title);
    }
    return all.join(", ");
  };
  const auto experiment = [](std::int64_t id) { return Link{Link::Kind::experiment, id, {}}; };
  EXPECT_EQ(titles({experiment(24)}),
            "Open experiment 24, Fork…, Pause, Cancel…, Kill…, Copy as dtctl, Copy ID");
  EXPECT_EQ(titles({experiment(21), experiment(24)}),
            "Compare 2, Pause 1, Activate 1, Cancel 2…, Kill 2…, Copy as dtctl, Copy IDs");
  EXPECT_EQ(titles({experiment(1)}), "Open experiment 1, Fork…, Copy as dtctl, Copy ID");
}

TEST_F(WindowTest, TheEndOfAnExperimentIsTold) {
  const auto window = open_window();
  master.edit([](FakeMaster::Rows& rows) { rows.experiments[24].set_state("ERROR"); });
  master.tell("experiment", "24", 24);
  EXPECT_TRUE(sees(*window, "Experiment 24, fashion-asha: error."));
}

TEST_F(WindowTest, AMasterThatGoesIsToldAndComesBack) {
  const auto window = open_window();
  master.stop();
  EXPECT_TRUE(sees(*window, "Trying again every few seconds. What you see is from"));
  EXPECT_TRUE(sees(*window, "offline"));
  EXPECT_TRUE(sees(*window, "fashion-asha"));
  master.start();
  EXPECT_TRUE(soon([&] { return !words_in(*window).contains("Trying again"); }));
  EXPECT_TRUE(sees(*window, "connected"));
}

TEST_F(WindowTest, WhatWasOpenComesBackAfterACrash) {
  auto window = open_window();
  window->open(Place::queue);
  EXPECT_TRUE(sees(*window, "waits for 2 slots"));
  window->open(Place::cluster);
  EXPECT_TRUE(sees(*window, "2 agents"));
  const auto abandoned = window.release();  // no close, no destructor: as after kill -9
  abandoned->hide();
  Window next(master.credentials());
  next.show();
  EXPECT_TRUE(soon([&] { return words_in(next).contains("2 agents"); }));
  EXPECT_TRUE(words_in(next).contains("Queue"));
  delete abandoned;
}

TEST_F(WindowTest, APageLeavesIntoItsOwnWindowAndComesBack) {
  const auto window = open_window();
  window->open(Place::cluster);
  ASSERT_TRUE(sees(*window, "2 agents"));
  QTest::keyClick(window.get(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
  QWidget* torn = nullptr;
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    if (widget != window.get() && widget->isVisible() && words_in(*widget).contains("2 agents")) {
      torn = widget;
    }
  }
  ASSERT_NE(torn, nullptr);
  EXPECT_FALSE(words_in(*window).contains("2 agents"));
  for (auto* button : torn->findChildren<QToolButton*>()) {
    if (button->text() == "Put back") QTest::mouseClick(button, Qt::LeftButton);
  }
  EXPECT_TRUE(sees(*window, "2 agents"));
}

TEST_F(WindowTest, RequestsDoNotGrowWithRows) {
  const auto window = open_window();
  const int before = master.all_calls();
  window->open(Place::cluster);
  ASSERT_TRUE(sees(*window, "2 agents"));
  window->open(Place::queue);
  ASSERT_TRUE(sees(*window, "waits for 2 slots"));
  EXPECT_LE(master.all_calls() - before, 2);
}

TEST(ConnectDialog, TriesBeforeItKeeps) {
  FakeMaster master;
  const std::string address = master.credentials().address;
  ConnectDialog dialog({.address = address}, "No master is known. ");
  client::Credentials connected;
  QObject::connect(&dialog, &ConnectDialog::connected,
                   [&](const client::Credentials& credentials) { connected = credentials; });
  dialog.show();
  auto* token = dialog.findChildren<QLineEdit*>()[1];
  QTest::keyClicks(token, "wrong");
  QTest::keyClick(token, Qt::Key_Return);
  EXPECT_TRUE(soon([&] { return words_in(dialog).contains("The token is not known"); }));
  EXPECT_FALSE(client::load_credentials().ok());
  token->clear();
  QTest::keyClicks(token, "secret");
  QTest::keyClick(token, Qt::Key_Return);
  ASSERT_TRUE(soon([&] { return !connected.address.empty(); }));
  EXPECT_EQ(connected.user, "ann");
  ASSERT_TRUE(client::load_credentials().ok());
  EXPECT_EQ(client::load_credentials()->token, "secret");
  std::remove(client::credentials_path().c_str());
}

}  // namespace
}  // namespace dt::gui
