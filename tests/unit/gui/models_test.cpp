// Tables as Qt's own model tester sees them, steady under updates, sorted and filtered.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "gui/models/experiments_model.h"
#include "gui/models/jobs_model.h"
#include "gui/models/palette_model.h"
#include "gui/models/sorted_rows.h"

namespace dt::gui {
namespace {

using FailureMode = QAbstractItemModelTester::FailureReportingMode;

ExperimentRow row(std::int64_t id, const QString& name = "a", std::optional<double> best = {}) {
  ExperimentRow made;
  made.id = id;
  made.name = name;
  made.state = "ACTIVE";
  made.best = best;
  made.created_ms = 1'000 * id;
  return made;
}

std::int64_t clock_ms() { return 1'000'000; }

// What a column shows, top to bottom.
QStringList column(const QAbstractItemModel& model, int at) {
  QStringList texts;
  for (int i = 0; i < model.rowCount(); ++i) texts.push_back(model.index(i, at).data().toString());
  return texts;
}

TEST(ExperimentsModel, IsAGoodModelThroughUpdates) {
  ExperimentsModel model(clock_ms);
  const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
  model.update({row(1), row(2), row(3), row(4)});
  model.update({row(4), row(2, "b"), row(9)});
  EXPECT_EQ(column(model, 0), (QStringList{"2", "4", "9"}));  // in the order they came in
  model.merge({row(2, "c"), row(11)});
  EXPECT_EQ(column(model, 1), (QStringList{"c", "a", "a", "a"}));
  model.update({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(ExperimentsModel, TellsOnlyWhatChanged) {
  ExperimentsModel model(clock_ms);
  model.update({row(1), row(2), row(3)});
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
  QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
  model.update({row(1), row(2, "new"), row(3)});
  ASSERT_EQ(changed.size(), 1);
  EXPECT_EQ(changed[0][0].toModelIndex().row(), 1);
  EXPECT_EQ(removed.size() + inserted.size(), 0);
  model.update({row(1), row(2, "new"), row(3)});
  EXPECT_EQ(changed.size(), 1);
}

TEST(ExperimentsModel, HostileNamesArePlain) {
  ExperimentsModel model(clock_ms);
  const QString hostile = QString::fromUtf8("<img src=x>\u202Eevil\x1b[31m") + QString(10'000, 'x');
  ExperimentRow bad = row(1, hostile);
  bad.owner = hostile;
  bad.labels = {hostile};
  bad.message = hostile;
  model.update({bad});
  for (int at = 0; at < model.columnCount(); ++at) {
    for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole)}) {
      const QString text = model.index(0, at).data(role).toString();
      EXPECT_FALSE(text.contains(QChar(0x202e)));
      EXPECT_FALSE(text.contains(QChar(0x1b)));
      EXPECT_LE(text.size(), 800);
    }
  }
  EXPECT_TRUE(model.index(0, 1).data().toString().startsWith("<img src=x>⟨U+202E⟩evil␛[31m"));
}

TEST(JobsModel, IsAGoodModel) {
  JobsModel model(clock_ms);
  const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
  JobRow first;
  first.experiment = 7;
  first.state = "queued";
  first.position = 1;
  JobRow second = first;
  second.experiment = 9;
  model.update({first, second});
  first.position = 2;
  model.update({second, first});
  model.update({first});
  EXPECT_EQ(model.rowCount(), 1);
}

TEST(PaletteModel, ListsTheBestFirst) {
  PaletteModel model;
  const QAbstractItemModelTester tester(&model, FailureMode::Fatal);
  model.set_entries(
      {{.title = "Show all keys"}, {.title = "Go to Cluster"}, {.title = "7 cluster-test"}});
  model.set_pattern("cluster");
  EXPECT_EQ(column(model, 0), (QStringList{"Go to Cluster", "7 cluster-test"}));
  model.set_pattern("zzz");
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_EQ(model.entry(0), nullptr);
}

class Sorted : public testing::Test {
 protected:
  ExperimentsModel model{clock_ms};
  SortedRows sorted{model};

  void filter(const QString& text) {
    sorted.set_filter(std::get<Filter>(parse_filter(text, model.columns())));
  }
  QStringList ids() { return column(sorted, 0); }
};

TEST_F(Sorted, BySeveralKeysAndWhatIsMissingLast) {
  const QAbstractItemModelTester tester(&sorted, FailureMode::Fatal);
  model.update({row(1, "b", 0.5), row(2, "a", 0.5), row(3, "a"), row(4, "c", 0.1)});
  sorted.set_sort({{4, Qt::AscendingOrder}, {1, Qt::AscendingOrder}});
  EXPECT_EQ(ids(), (QStringList{"4", "2", "1", "3"}));
  sorted.set_sort({{4, Qt::DescendingOrder}, {1, Qt::AscendingOrder}});
  EXPECT_EQ(ids(), (QStringList{"2", "1", "4", "3"}));
  sorted.set_sort({});
  EXPECT_EQ(ids(), (QStringList{"1", "2", "3", "4"}));
}

TEST_F(Sorted, ChangesFindTheirPlace) {
  const QAbstractItemModelTester tester(&sorted, FailureMode::Fatal);
  model.update({row(1, "b", 0.5), row(2, "a", 0.4)});
  sorted.set_sort({{4, Qt::AscendingOrder}});
  model.merge({row(1, "b", 0.1), row(3, "c", 0.2)});
  EXPECT_EQ(ids(), (QStringList{"1", "3", "2"}));
}

TEST_F(Sorted, NothingMovesWhileItIsHeld) {
  const QAbstractItemModelTester tester(&sorted, FailureMode::Fatal);
  model.update({row(1, "b", 0.5), row(2, "a", 0.4), row(3, "c", 0.3)});
  sorted.set_sort({{4, Qt::AscendingOrder}});
  filter("best > 0.2");
  sorted.hold(true);
  model.merge({row(1, "b", 0.1), row(4, "d", 0.25)});
  EXPECT_EQ(ids().mid(0, 3), (QStringList{"3", "2", "1"}));
  sorted.hold(false);
  EXPECT_EQ(ids(), (QStringList{"4", "3", "2"}));  // sorted in, and 1 fits no longer
}

TEST_F(Sorted, FiltersRows) {
  model.update({row(1, "fashion", 0.5), row(2, "mnist", 0.4)});
  filter("fashion");
  EXPECT_EQ(ids(), QStringList{"1"});
  filter("best < 0.45");
  EXPECT_EQ(ids(), QStringList{"2"});
  filter("");
  EXPECT_EQ(ids().size(), 2);
}

// Not a time, which differs between machines, but the work behind it: a sort reads each cell once.
TEST(SortedRows, AHundredThousandRowsAreReadOnce) {
  int reads = 0;
  ExperimentsModel model([&] { return ++reads, 1'000'000'000; });
  SortedRows sorted(model);
  std::vector<ExperimentRow> rows;
  for (std::int64_t id = 1; id <= 100'000; ++id) {
    rows.push_back(row(id));
    rows.back().created_ms = id * 7919 % 100'003;
  }
  model.update(std::move(rows));
  constexpr int created = 9;
  sorted.set_sort({{created, Qt::DescendingOrder}});
  EXPECT_EQ(reads, 100'000);
  ASSERT_EQ(sorted.rowCount(), 100'000);
  double last = 1e9;
  for (int i = 0; i < sorted.rowCount(); i += 997) {
    const double now = sorted.index(i, created).data(sort_role).toDouble();
    EXPECT_LE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace dt::gui
