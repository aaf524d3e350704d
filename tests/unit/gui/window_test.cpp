// The window by keyboard and mouse: places, the way back, palette, menus, what comes back after a
// crash.
#include "gui/window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

#include "client/credentials.h"
#include "gui/data/settings.h"
#include "gui/widgets/agent_menu.h"
#include "gui/widgets/cluster_map.h"
#include "gui/widgets/connect_dialog.h"
#include "gui/widgets/experiment_orders.h"
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
            "Open experiment 24, Fork…, Pause, Place in the queue…, Cancel…, Kill…, "
            "Copy as dtctl, Copy ID");
  EXPECT_EQ(titles({experiment(21), experiment(24)}),
            "Compare 2, Pause 1, Activate 1, Place in the queue 2…, Cancel 2…, Kill 2…, "
            "Copy as dtctl, Copy IDs");
  EXPECT_EQ(titles({experiment(2)}),
            "Open experiment 2, Fork…, Continue…, Archive, Delete…, Copy as dtctl, Copy ID");
}

TEST_F(WindowTest, WhatIsArchivedIsPutAwayAndCanBeShown) {
  const auto window = open_window();
  EXPECT_TRUE(sees(*window, "24 experiments"));
  change_experiments(window->session(), Verb::archive, {1, 2}, window.get());
  EXPECT_TRUE(sees(*window, "Archived 2 experiments."));
  EXPECT_TRUE(sees(*window, "22 experiments"));
  QTest::mouseClick(window->findChild<QPushButton*>("show_archived"), Qt::LeftButton);
  EXPECT_TRUE(sees(*window, "24 experiments"));
  change_experiments(window->session(), Verb::unarchive, {1}, window.get());
  ASSERT_TRUE(soon([&] { return !window->session().experiments.find(1)->is_archived; }));
  QTest::mouseClick(window->findChild<QPushButton*>("show_archived"), Qt::LeftButton);
  EXPECT_TRUE(sees(*window, "23 experiments"));
}

TEST_F(WindowTest, ContinuingKeepsWhatWasTypedUntilItIsRight) {
  const auto window = open_window();
  continue_experiments(window->session(), {2}, window.get());
  auto* form = top_dialog<QDialog>();
  ASSERT_NE(form, nullptr);
  auto* changes = form->findChild<QPlainTextEdit*>("continue_changes");
  changes->setPlainText("max_restarts");
  QTest::mouseClick(form->findChild<QPushButton*>("form_yes"), Qt::LeftButton);
  EXPECT_TRUE(sees(*form, "max_restarts is not KEY=VALUE"));
  changes->setPlainText("max_restarts=9\n\n");
  QTest::mouseClick(form->findChild<QPushButton*>("form_yes"), Qt::LeftButton);
  EXPECT_TRUE(sees(*window, "Continued experiment 2."));
  ASSERT_EQ(master.continuations().size(), 1u);
  ASSERT_EQ(master.continuations()[0].overrides_size(), 1);
  EXPECT_EQ(master.continuations()[0].overrides(0), "max_restarts=9");
  EXPECT_TRUE(soon([&] { return top_dialog<QDialog>() == nullptr; }));
}

TEST_F(WindowTest, ThePlaceInTheQueueIsChangedWhereItIsTyped) {
  const auto window = open_window();
  queue_experiments(window->session(), {21, 24}, window.get());
  auto* form = top_dialog<QDialog>();
  ASSERT_NE(form, nullptr);
  auto* yes = form->findChild<QPushButton*>("form_yes");
  QTest::mouseClick(yes, Qt::LeftButton);
  EXPECT_TRUE(sees(*form, "Nothing is changed yet"));
  QTest::keyClicks(form->findChild<QLineEdit*>("max_slots"), "four");
  QTest::mouseClick(yes, Qt::LeftButton);
  EXPECT_TRUE(sees(*form, "four is not a whole number"));
  form->findChild<QLineEdit*>("max_slots")->setText("4");
  QTest::mouseClick(yes, Qt::LeftButton);
  EXPECT_TRUE(sees(*window, "Changed the place in the queue of 2 experiments."));
  master.edit([](FakeMaster::Rows& rows) {
    for (const std::int64_t id : {21, 24}) {
      EXPECT_EQ(rows.experiments[id].max_slots(), 4);
      EXPECT_EQ(rows.experiments[id].priority(), rows.experiments[1].priority());  // as it was
    }
  });
}

TEST_F(WindowTest, AnAgentIsDrainedAndASlotDisabledFromTheMap) {
  const auto window = open_window();
  window->open(Place::cluster);
  ASSERT_TRUE(sees(*window, "2 agents, 5 of 12 slots in use"));
  const auto agents = [&] { return window->findChild<ClusterMap*>()->agents(); };
  const auto run = [](const std::vector<LinkAction>& actions, const QString& title) {
    for (const LinkAction& action : actions) {
      if (action.title == title) return action.run();
    }
    ADD_FAILURE() << "there is no " << title.toStdString();
  };
  Session& session = window->session();
  run(agent_actions(session, agents()[1], window.get()), "Drain gpu-box-2");
  EXPECT_TRUE(sees(*window, "Agent gpu-box-2 is draining"));
  master.tell("agent", "gpu-box-2", 0);
  EXPECT_TRUE(sees(*window, "1 agent draining"));
  run(agent_actions(session, agents()[1], window.get()), "Enable gpu-box-2");
  run(slot_actions(session, agents()[0], agents()[0].slots[7], window.get()), "Disable GPU 7");
  EXPECT_TRUE(sees(*window, "GPU 7 of gpu-box-1 is disabled"));
  run(agent_actions(session, agents()[0], window.get()), "Disable gpu-box-1…");
  auto* question = top_dialog<QDialog>();
  ASSERT_NE(question, nullptr);
  EXPECT_TRUE(words_in(*question).contains("trial 113, trial 114 will save a checkpoint"))
      << words_in(*question).toStdString();
  QTest::mouseClick(question->findChild<QPushButton*>("form_yes"), Qt::LeftButton);
  EXPECT_TRUE(sees(*window, "2 attempts asked to checkpoint and go"));
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
