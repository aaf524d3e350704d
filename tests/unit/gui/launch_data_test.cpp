// What the launch page is made of, without its widgets.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "gui/data/context_tree.h"
#include "gui/data/file_writer.h"
#include "gui/data/launch_check.h"
#include "gui/data/launch_draft.h"
#include "gui/data/search_words.h"
#include "gui/models/context_model.h"
#include "gui/models/overrides_model.h"
#include "gui/models/problems_model.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;

LaunchDraft a_draft() {
  return {.config_path = "/home/ada/my code/asha.yaml",
          .config_yaml = "name: ü\n",
          .context_folder = "/home/ada/my code",
          .overrides = {{"searcher.max_trials", "8"}, {"name", "\"it's\""}, {"", ""}},
          .is_paused = true,
          .parent = ForkParent{9'007'199'254'740'993, "old", "name: x\n", "abc"}};
}

TEST(LaunchDraft, ComesBackAsItWasKept) {
  const LaunchState state{a_draft(), {"/a.yaml", "/b.yaml"}};
  EXPECT_EQ(launch_state_of(to_bytes(state)), state);
  EXPECT_EQ(launch_state_of(to_bytes({})), LaunchState());
}

TEST(LaunchDraft, OfAnotherTimeOrBrokenIsEmpty) {
  for (const char* bytes : {"", "{", "[]", "null", "{\"draft\": 7, \"recent_configs\": {}}"}) {
    EXPECT_EQ(launch_state_of(bytes), LaunchState()) << bytes;
  }
}

TEST(LaunchDraft, IsTheCommandThatDoesTheSame) {
  EXPECT_EQ(launch_command(a_draft()).toStdString(),
            "dtctl experiment create '/home/ada/my code/asha.yaml' '/home/ada/my code' "
            "--set searcher.max_trials=8 --set 'name=\"it'\\''s\"' --paused");
  EXPECT_EQ(launch_command({}).toStdString(), "dtctl experiment create config.yaml");
}

TEST(LaunchMemory, KeepsTheLastStateForItsOwnerAlone) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("deep/launch.json");
  LaunchMemory memory(path);
  for (int i = 0; i < 50; ++i) {
    memory.save({.draft = {.config_yaml = QString::number(i)}, .recent_configs = {}});
  }
  finish_writing();
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(launch_state_of(file.readAll()).draft.config_yaml, "49");
  EXPECT_EQ(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

TEST(RecentConfigs, AreNewestFirstAndEachOnce) {
  EXPECT_EQ(with_recent({"a", "b", "c"}, "b"), QStringList({"b", "a", "c"}));
  QStringList many;
  for (int i = 0; i < 20; ++i) many = with_recent(many, QString::number(i));
  EXPECT_EQ(many.size(), 10);
  EXPECT_EQ(many.front(), "19");
}

TEST(SearchWords, TellTheBudgetOfASearch) {
  v1::PreviewSearchResponse preview;
  preview.set_trials(16);
  preview.set_unit("batches");
  preview.set_total_units(9'200);
  preview.set_slots_per_trial(2);
  preview.set_max_concurrent_trials(16);
  for (const auto& [units, trials] : {std::pair{250, 16}, {1'000, 4}}) {
    auto* rung = preview.add_rungs();
    rung->set_units(units);
    rung->set_trials(trials);
  }
  EXPECT_EQ(preview_words(preview).toStdString(),
            "16 trials, 4 reach 1,000 batches; 9,200 batches in all; 2 slots a trial");
  preview.set_max_concurrent_trials(4);
  EXPECT_TRUE(preview_words(preview).endsWith("2 slots a trial, 4 at a time"));
}

TEST(SearchWords, OfOneTrialAreShort) {
  v1::PreviewSearchResponse preview;
  preview.set_trials(1);
  preview.set_slots_per_trial(1);
  EXPECT_EQ(preview_words(preview).toStdString(), "1 trial; 1 slot a trial");
}

TEST(SearchWords, TellWhatBecameOfARung) {
  v1::GetSearchResponse search;
  search.set_trials_wanted(12);
  auto* rung = search.add_rungs();
  rung->set_units(100);
  rung->set_trials(8);
  rung->set_continued(2);
  rung->set_stopped(5);
  EXPECT_EQ(rung_words(picture_of(search).rungs.at(0)).toStdString(),
            "8 reached · 2 went on · 5 stopped");
  EXPECT_EQ(search_words(search, 9).toStdString(), "9 of 12 trials made; 5 stopped early");
}

TEST(ConfigRefusal, IsTakenApartByLine) {
  const Status status =
      invalid_argument(
          "line 3: searcher.max_trials: must be > 0, got -3 (as in 8)\nline 9: no such key")
          .with_detail({.value = "-3", .path = "searcher.max_trials", .line = 3});
  const auto problems = problems_of(status);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].line, 3);
  EXPECT_EQ(problems[0].path, "searcher.max_trials");
  EXPECT_EQ(problems[0].value, "-3");
  EXPECT_EQ(problems[1].line, 9);
  EXPECT_EQ(problems[1].message, "no such key");
  EXPECT_EQ(problems_of(invalid_argument("just words").with_detail({.line = 4}))[0].line, 4);
}

client::ContextListing a_listing() {
  client::ContextListing listing;
  listing.files = {{"a/big.bin", 900}, {"a/small.py", 10}, {"b.py", 50}, {"c/d/e.txt", 5}};
  listing.ignored = {{"a/x.log", false, "*.log", ".dtignore line 2"},
                     {"build", true, "/build/", ".dtignore line 1"}};
  listing.bytes = 965;
  return listing;
}

// Names by row, children indented.
QString printed(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0) {
  QString text;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    text += QString(2 * depth, u' ') + model.index(row, 0, parent).data().toString() + u'\n';
    text += printed(model, model.index(row, 0, parent), depth + 1);
  }
  return text;
}

TEST(ContextModel, ShowsTheBiggestFirstThenWhatIsLeftOut) {
  ContextModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_tree(make_context_tree("/f", a_listing()));
  EXPECT_EQ(printed(model).toStdString(),
            "a/\n  big.bin\n  small.py\n  x.log\nb.py\nc/\n  d/\n    e.txt\nbuild/\n");
  EXPECT_EQ(model.index(0, ContextModel::size).data().toString(), "910 B");
  EXPECT_EQ(model.index(3, ContextModel::left_out).data().toString(), "/build/ (.dtignore line 1)");
  EXPECT_EQ(context_words(model.tree()).toStdString(), "4 files, 965 B · 2 left out");
  model.set_tree({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(ContextModel, NamesTheBiggestFilesOfAFolderThatIsTooLarge) {
  client::ContextListing listing = a_listing();
  EXPECT_TRUE(make_context_tree("/f", listing).biggest.isEmpty());
  listing.problems.push_back(resource_exhausted("context: more than 96 MiB"));
  EXPECT_EQ(make_context_tree("/f", listing).biggest.toStdString(),
            "a/big.bin 900 B, b.py 50 B, a/small.py 10 B");
}

TEST(ContextModel, HostileNamesAreShownAsText) {
  client::ContextListing listing;
  listing.files = {{"<img src=x>/a\nb\x1b[31m", 1}};
  ContextModel model;
  model.set_tree(make_context_tree("/f", listing));
  EXPECT_EQ(model.index(0, 0).data().toString(), "<img src=x>/");
  const QString name = model.index(0, 0, model.index(0, 0)).data().toString();
  EXPECT_FALSE(name.contains(u'\n') || name.contains(u'\x1b')) << name.toStdString();
  EXPECT_TRUE(model.index(0, 0).data(Qt::ToolTipRole).toString().startsWith("&lt;img"));
}

TEST(OverridesModel, GrowsBelowAndDropsWhatIsEmptied) {
  OverridesModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QSignalSpy edited(&model, &OverridesModel::edited);
  EXPECT_EQ(model.rowCount(), 1);
  EXPECT_FALSE(model.setData(model.index(0, 0), " ", Qt::EditRole));
  EXPECT_TRUE(model.setData(model.index(0, 0), "searcher.max_time", Qt::EditRole));
  EXPECT_TRUE(model.setData(model.index(0, 1), "400", Qt::EditRole));
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.overrides(), (std::vector<Override>{{"searcher.max_time", "400"}}));
  EXPECT_EQ(edited.count(), 2);
  model.setData(model.index(0, 0), "", Qt::EditRole);
  model.setData(model.index(0, 1), "", Qt::EditRole);
  EXPECT_EQ(model.rowCount(), 1);
  EXPECT_TRUE(model.overrides().empty());
}

TEST(ProblemsModel, TellsLineWordsAndTheWayOut) {
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_problems({{.line = 12,
                       .path = "searcher.max_trials",
                       .message = "must be > 0, got -3",
                       .value = "-3",
                       .hint = "as in 8"},
                      {.message = "<b>ignored</b>", .is_warning = true}});
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, 1).data().toString(), "12");
  EXPECT_EQ(model.index(0, 4).data().toString(), "as in 8");
  EXPECT_EQ(model.index(1, 0).data().toString(), "warning");
  EXPECT_EQ(model.index(1, 2).data().toString(), "<b>ignored</b>");
  model.set_problems({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace dt::gui
