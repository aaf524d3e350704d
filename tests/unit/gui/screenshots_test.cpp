// Every page, light and dark, at 1280×800, 1920×1080 and 200 %, also empty, loading, failed and
// offline. Pictures go to build/screenshots; what a critic would find in them fails the test. A
// page of yours is one line in scenes().
#include <gtest/gtest.h>

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QTabWidget>
#include <QTest>
#include <functional>
#include <memory>
#include <ostream>

#include "base/cat.h"
#include "gui/data/settings.h"
#include "gui/widgets/chart.h"
#include "gui/widgets/connect_dialog.h"
#include "gui/widgets/experiment_orders.h"
#include "gui/widgets/form_dialog.h"
#include "gui/widgets/key_help.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/yaml_editor.h"
#include "gui/window.h"
#include "tests/unit/gui/fake_master.h"
#include "tests/unit/gui/look.h"
#include "tests/unit/gui/sample_cluster.h"

namespace dt::gui {
namespace {

struct Scene {
  std::string name;
  PageId page;
  const char* awaited;                            // a word that is seen when the page is ready
  std::function<void(FakeMaster&)> weather = {};  // before the window opens
  std::function<void(Window&, FakeMaster&)> then = {};  // once it is ready
  const char* awaited_then = "";
};

void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

// The calls of a place, to be held or refused.
const char* const lists[] = {"ListExperiments", "ListAgents", "ListJobs"};

void empty(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) { rows = {}; });
}
void loading(FakeMaster& master) {
  for (const char* call : lists) master.hold(call);
}
void failing(FakeMaster& master) {
  for (const char* call : lists) {
    master.refuse(call, grpc::StatusCode::INTERNAL, "the store cannot read its rows");
  }
}
void older(FakeMaster& master) { master.refuse("ListJobs", grpc::StatusCode::UNIMPLEMENTED, ""); }
void away(FakeMaster& master) { master.stop(); }
void ordered(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) {
    rows.agents[1].set_admission("draining");
    rows.agents[0].mutable_slots(1)->set_disabled(true);
    rows.agents[0].mutable_slots(7)->set_disabled(true);
  });
}
void hostile(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) {
    const std::string name = "<img src=x onerror=alert(1)>\u202Egnp.exe\x1b[31m\u200B";
    v1::Experiment& row = rows.add_experiment(25, name);
    row.set_owner(name);
    row.add_labels(std::string(10'000, 'x'));
    rows.add_experiment(26, std::string(10'000, 'W')).set_searcher(name);
    rows.agents[0].set_name(name);
    rows.agents[1].set_name(std::string(10'000, 'W'));
    rows.jobs[2].set_name(name);
    rows.jobs[2].set_reason(std::string(10'000, 'W'));
  });
}

// A page's charts are painted, not written: they are there when a curve has points.
bool has_curves(const QWidget& window) {
  for (const Chart* chart : window.findChildren<Chart*>()) {
    for (const Curve& curve : chart->curves()) {
      if (!curve.points.empty()) return true;
    }
  }
  return false;
}
void charts(Window& window, FakeMaster&) {
  EXPECT_TRUE(soon([&] { return has_curves(window); }));
}
void hovered_chart(Window& window, FakeMaster& master) {
  charts(window, master);
  Chart* chart = window.findChildren<Chart*>().front();
  QTest::mouseMove(chart, QPoint(chart->width() / 2, chart->height() / 2));
}
std::function<void(Window&, FakeMaster&)> tab(int number) {
  return [number](Window& window, FakeMaster&) {
    for (QTabWidget* tabs : window.findChildren<QTabWidget*>()) {
      if (tabs->count() > number && tabs->objectName() == QLatin1String("page_tabs")) {
        tabs->setCurrentIndex(number);
      }
    }
  };
}
void trial_held(FakeMaster& master) { master.hold("GetTrial"); }
void trial_refused(FakeMaster& master) {
  master.refuse("GetTrial", grpc::StatusCode::INTERNAL, "the store cannot read its rows");
}
void without_provenance(FakeMaster& master) {
  master.refuse("GetTrialProvenance", grpc::StatusCode::UNIMPLEMENTED, "");
}
void no_metrics(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) { rows.series.clear(); });
}

void charts_and_goes_away(Window& window, FakeMaster& master) {
  charts(window, master);
  master.stop();
}

Link trial(std::int64_t id) { return {Link::Kind::trial, id, {}}; }
Comparison compared() { return {{trial(113), trial(112), {Link::Kind::experiment, 24, {}}}}; }
void goes_away(Window&, FakeMaster& master) { master.stop(); }

void held(FakeMaster& master) { master.hold("GetExperiment"); }
void without_search(FakeMaster& master) {
  master.refuse("GetSearch", grpc::StatusCode::UNIMPLEMENTED, "");
}

const char* const config =
    "name: fashion-asha\nentrypoint: python3 train.py\nhyperparameters:\n"
    "  lr: {type: log, base: 10, minval: -4, maxval: -1}\nsearcher:\n  name: async_halving\n"
    "  metric: validation_loss\n  max_trials: 16\nresources: {slots_per_trial: 2}\n";

void valid(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) {
    rows.validation.set_resolved_json(
        R"({"name": "fashion-asha", "searcher": {"max_trials": 16}})");
    rows.preview.set_trials(16);
    rows.preview.set_unit("batches");
    rows.preview.set_total_units(9'200);
    rows.preview.set_slots_per_trial(2);
    for (const auto& [units, trials] : {std::pair{250, 16}, {1'000, 4}}) {
      auto* rung = rows.preview.add_rungs();
      rung->set_units(units);
      rung->set_trials(trials);
    }
    rows.preview.add_first_hparams_json(R"({"lr": 0.0031})");
  });
}
void invalid(FakeMaster& master) {
  master.edit([](FakeMaster::Rows& rows) {
    for (const auto& [line, words] : {std::pair{4, "hyperparameters.lr: minval must be < maxval"},
                                      {8, "searcher.max_trials: must be > 0, got -3"}}) {
      auto* error = rows.validation.add_errors();
      error->set_line(line);
      error->set_message(words);
      error->set_value("-3");
      error->set_hint("give how many trials to try, as in 16");
    }
  });
}
void type_config(Window& window, FakeMaster&) {
  window.findChild<YamlEditor*>("config_editor")->setPlainText(config);
}
void change_fork(Window& window, FakeMaster&) {
  auto* editor = window.findChild<YamlEditor*>("config_editor");
  EXPECT_TRUE(soon([&] { return !editor->document()->isEmpty(); }));
  editor->setPlainText(editor->toPlainText().replace("max_trials: 16", "max_trials: 32"));
}
void await_curves(Window& window, FakeMaster&) {
  auto* chart = window.findChild<Chart*>("learning_curves");
  EXPECT_TRUE(soon([&] { return !chart->curves().empty(); }));
}
void to_tab(Window& window, int tab) {
  window.findChild<QTabWidget*>("experiment_tabs")->setCurrentIndex(tab);
}
void to_trials(Window& window, FakeMaster&) { to_tab(window, 1); }
void to_config(Window& window, FakeMaster&) { to_tab(window, 2); }

std::vector<Scene> scenes_of_places() {
  return {
      {"experiments", Place::experiments, "fashion-asha"},
      {"experiments_empty", Place::experiments, "No experiments yet", empty},
      {"experiments_loading", Place::experiments, "Loading experiments…", loading},
      {"experiments_failed", Place::experiments, "The store cannot read its rows.", failing},
      {"experiments_offline", Place::experiments, "The master does not answer", away},
      {"experiments_went_offline",
       Place::experiments,
       "fashion-asha",
       {},
       goes_away,
       "What you see is from"},
      {"experiments_hostile", Place::experiments,
       "<img src=x onerror=alert(1)>⟨U+202E⟩gnp.exe␛[31m⟨U+200B⟩", hostile},
      {"cluster_hostile", Place::cluster, "2 agents", hostile},
      {"queue_hostile", Place::queue, "<img src=x", hostile},
      {"cluster", Place::cluster, "2 agents, 5 of 12 slots in use"},
      {"cluster_ordered", Place::cluster, "1 agent draining, 2 slots disabled", ordered},
      {"cluster_empty", Place::cluster, "No agent has joined", empty},
      {"cluster_loading", Place::cluster, "Loading agents…", loading},
      {"cluster_failed", Place::cluster, "The store cannot read its rows.", failing},
      {"cluster_offline", Place::cluster, "The master does not answer", away},
      {"queue", Place::queue, "waits for 2 slots"},
      {"queue_empty", Place::queue, "Nothing runs and nothing waits", empty},
      {"queue_loading", Place::queue, "Loading the queue…", loading},
      {"queue_older_master", Place::queue, "This master cannot tell its queue", older},
      {"queue_offline", Place::queue, "The master does not answer", away},
  };
}

std::vector<Scene> scenes_of_things() {
  return {
      {"launch", Place::launch, "Launch an experiment", empty},
      {"launch_valid", Place::launch, "Launch an experiment", valid, type_config, "16 trials"},
      {"launch_errors", Place::launch, "Launch an experiment", invalid, type_config, "2 errors"},
      {"launch_offline", Place::launch, "Launch an experiment", away, type_config, "not checked"},
      {"fork", Fork{24}, "Fork of experiment 24", valid, change_fork, "Difference (2 lines)"},
      {"experiment", Link{Link::Kind::experiment, 24, {}}, "stopped early", {}, await_curves},
      {"experiment_trials", Link{Link::Kind::experiment, 24, {}}, "stopped early", {}, to_trials},
      {"experiment_config", Link{Link::Kind::experiment, 24, {}}, "stopped early", {}, to_config},
      {"experiment_waiting",
       Link{Link::Kind::experiment, 22, {}},
       "done",
       {},
       to_trials,
       "No trials yet"},
      {"experiment_missing", Link{Link::Kind::experiment, 99, {}}, "Experiment 99 does not exist"},
      {"experiment_loading", Link{Link::Kind::experiment, 24, {}}, "Loading experiment 24", held},
      {"experiment_older_master", Link{Link::Kind::experiment, 24, {}},
       "does not tell how far a search is", without_search},
      {"experiment_went_offline",
       Link{Link::Kind::experiment, 24, {}},
       "stopped early",
       {},
       goes_away,
       "The master is away"},
      {"trial", trial(113), "Trial 113", {}, charts},
      {"trial_hovered", trial(113), "Trial 113", {}, hovered_chart},
      {"trial_no_metrics", trial(113), "No metrics yet", no_metrics},
      {"trial_log", trial(113), "Trial 113", {}, tab(1), "lines"},
      {"trial_checkpoints", trial(113), "Trial 113", {}, tab(2), "heckpoints"},
      {"trial_attempts", trial(113), "Trial 113", {}, tab(3), "Attempt"},
      {"trial_environment", trial(113), "Trial 113", {}, tab(4), "MASTER_ADDR"},
      {"trial_loading", trial(113), "Loading trial 113…", trial_held},
      {"trial_failed", trial(113), "The store cannot read its rows.", trial_refused},
      {"trial_provenance", trial(113), "Trial 113", {}, tab(5), "4f1d9c02b7"},
      {"trial_provenance_older_master", trial(113), "Trial 113", without_provenance, tab(5),
       "cannot tell"},
      {"trial_offline", trial(113), "The master does not answer", away},
      {"trial_went_offline",
       trial(113),
       "Trial 113",
       {},
       charts_and_goes_away,
       "What you see is from"},
      {"trial_missing", trial(99'999), "rial 99999 does not exist"},
      {"logs", Place::logs, "201 lines"},
      {"log_of_a_trial", LogOf{113, 0}, "lines"},
      {"log_empty", LogOf{101, 0}, "No output"},
      {"compare", compared(), "Base", {}, charts},
      {"compare_configuration", compared(), "Base", {}, tab(1), "Key"},
      {"compare_metrics", compared(), "Base", {}, tab(2), "loss"},
      {"compare_place", Place::compare, "Compare runs"},
  };
}

std::vector<Scene> scenes() {
  std::vector<Scene> all = scenes_of_places();
  for (const Scene& scene : scenes_of_things()) all.push_back(scene);
  return all;
}

bool shows(const QWidget& window, const char* words) {
  return words_in(window).contains(QString::fromUtf8(words));
}

void save(const QImage& image, const std::string& name) {
  const QString folder = QStringLiteral(DT_SCREENSHOTS);
  QDir().mkpath(folder);
  EXPECT_TRUE(image.save(folder + QLatin1Char('/') + QString::fromStdString(name) + ".png"));
}

void resize(Window& window, int width, int height) {
  window.resize(width, height);
  QApplication::processEvents();  // scroll bars come with the next turn
}

void expect_good_looks(QWidget& window, const std::string& name) {
  for (int turn = 0; turn < 2; ++turn) QApplication::processEvents();  // news, then their layout
  EXPECT_EQ(clipped_in(window).join('\n').toStdString(), "") << name;
  EXPECT_EQ(overlaps_in(window).join('\n').toStdString(), "") << name;
  EXPECT_EQ(faint_in(window).join('\n').toStdString(), "") << name;
}

class Screenshots : public testing::TestWithParam<Scene> {
 protected:
  Screenshots() { Settings::get().clear(); }
  ~Screenshots() override { set_theme(ThemeChoice::light); }

  FakeMaster master;
};

TEST_P(Screenshots, LookGood) {
  const Scene& scene = GetParam();
  master.edit(add_sample_cluster);
  if (scene.weather) scene.weather(master);
  Window window(master.credentials());
  window.resize(1280, 800);
  window.show();
  window.open(scene.page);
  ASSERT_TRUE(soon([&] { return shows(window, scene.awaited); })) << words_in(window).toStdString();
  ASSERT_TRUE(soon([&] { return window.session().live.state() != Live::State::connecting; }));
  if (scene.then) scene.then(window, master);
  ASSERT_TRUE(soon([&] { return shows(window, scene.awaited_then); }))
      << words_in(window).toStdString();
  for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
    set_theme(choice);
    const std::string name = cat(scene.name, "_", to_text(choice).toStdString());
    resize(window, 1920, 1080);
    save(picture_of(window, 1), cat(name, "_1920x1080"));
    expect_good_looks(window, cat(name, " 1920×1080"));
    resize(window, 1280, 800);
    save(picture_of(window, 1), cat(name, "_1280x800"));
    save(picture_of(window, 2), cat(name, "_1280x800_200percent"));
    expect_good_looks(window, cat(name, " 1280×800"));
  }
  master.release();
}

INSTANTIATE_TEST_SUITE_P(Pages, Screenshots, testing::ValuesIn(scenes()),
                         [](const auto& scene) { return scene.param.name; });

// Dialogs and the palette, over a window that has something to ask about.
class Dialogs : public testing::Test {
 protected:
  Dialogs() {
    Settings::get().clear();
    master.edit(add_sample_cluster);
    window = std::make_unique<Window>(master.credentials());
    window->show();
    EXPECT_TRUE(soon([&] { return shows(*window, "fashion-asha"); }));
  }
  ~Dialogs() override { set_theme(ThemeChoice::light); }

  void expect_good_dialog(const std::string& name) {
    for (QWidget* top : QApplication::topLevelWidgets()) {
      auto* dialog = qobject_cast<QDialog*>(top);
      if (dialog == nullptr || !dialog->isVisible()) continue;
      for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        set_theme(choice);
        QApplication::processEvents();
        save(picture_of(*dialog, 2), cat("dialog_", name, "_", to_text(choice).toStdString()));
        expect_good_looks(*dialog, name);
      }
      return dialog->close(), void();
    }
    ADD_FAILURE() << "no dialog is open";
  }

  FakeMaster master;
  std::unique_ptr<Window> window;
};

TEST_F(Dialogs, PaletteLooksGood) {
  QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
  expect_good_dialog("palette");
}

TEST_F(Dialogs, KeysLookGood) {
  show_key_help(window.get());
  expect_good_dialog("keys");
}

TEST_F(Dialogs, TheQuestionLooksGood) {
  change_experiments(window->session(), Verb::kill, {24}, window.get());
  expect_good_dialog("kill");
}

TEST_F(Dialogs, DeletingLooksGood) {
  change_experiments(window->session(), Verb::erase, {2}, window.get());
  expect_good_dialog("delete");
}

TEST_F(Dialogs, ContinuingLooksGood) {
  continue_experiments(window->session(), {2}, window.get());
  for (QWidget* top : QApplication::topLevelWidgets()) {
    auto* form = qobject_cast<FormDialog*>(top);
    if (form) form->show_problem("max_restart: no such key; did you mean max_restarts?");
  }
  expect_good_dialog("continue");
}

TEST_F(Dialogs, ThePlaceInTheQueueLooksGood) {
  queue_experiments(window->session(), {21, 24}, window.get());
  expect_good_dialog("queue_place");
}

TEST_F(Dialogs, ConnectLooksGood) {
  auto* dialog = new ConnectDialog({}, "No master is known. ", window.get());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
  expect_good_dialog("connect");
}

// What tables, charts and maps paint is no label, so their colours are compared themselves.
TEST(Theme, EveryTextHasContrastOnEveryGround) {
  for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
    set_theme(choice);
    const Theme& t = theme();
    for (const QColor& text : {t.text, t.faint, t.bad}) {
      for (const QColor& ground : {t.window, t.surface, t.raised, t.hover}) {
        EXPECT_GE(contrast(text, ground), 4.5)
            << text.name().toStdString() << " on " << ground.name().toStdString();
      }
    }
    EXPECT_GE(contrast(t.text, t.selection), 4.5);
    EXPECT_GE(contrast(t.faint, t.selection), 4.5);
    EXPECT_GE(contrast(t.on_accent, t.accent), 4.5);
    for (const QColor& mark : {t.good, t.busy, t.warning, t.bad, t.accent}) {
      EXPECT_GE(contrast(mark, t.surface), 3) << mark.name().toStdString();  // dots and bars
    }
  }
  set_theme(ThemeChoice::light);
}

}  // namespace
}  // namespace dt::gui
