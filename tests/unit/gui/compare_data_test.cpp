// What a comparison shows: differences of configurations, charts by metric, values by run; and the
// small tables of a trial.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "base/cat.h"
#include "formats/json.h"
#include "gui/data/metric_charts.h"
#include "gui/models/compare_models.h"
#include "gui/models/trial_models.h"
#include "gui/pages/compare_page.h"

namespace dt::gui {
namespace {

KeyedTexts config(const char* json) { return flattened(parse_json(json).value()); }

std::string text_of(const KeyedTexts& texts) {
  std::string text;
  for (const auto& [key, value] : texts)
    text += cat(key.toStdString(), "=", value.toStdString(), "\n");
  return text;
}

TEST(Flattened, NamesEveryValueByItsPath) {
  EXPECT_EQ(text_of(config(
                R"({"searcher": {"name": "random", "max": 3}, "labels": ["a", "b"], "x.y": true,
                              "mounts": [{"host": "/a"}, {"host": "/b"}], "none": {}, "n": null})")),
            "labels=[\"a\",\"b\"]\nmounts[0].host=/a\nmounts[1].host=/b\nn=null\nnone={}\n"
            "searcher.max=3\nsearcher.name=random\n\"x.y\"=true\n");
  EXPECT_TRUE(config("{}").empty());
}

TEST(Diff, TellsEqualFromMissingFromOther) {
  const auto rows = diff_of({config(R"({"a": 1, "b": 2})"), config(R"({"a": 1, "b": 3, "c": 4})")});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].differs);
  EXPECT_TRUE(rows[1].differs);
  EXPECT_TRUE(rows[2].differs);
  EXPECT_FALSE(rows[2].values[0].has_value());
  EXPECT_TRUE(diff_of({}).empty());
}

TEST(DiffModel, ShowsDifferingKeysOrAllAndStaysAModel) {
  DiffModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const std::vector<QString> names{QStringLiteral("trial 1"), QStringLiteral("trial 2")};
  const std::vector<KeyedTexts> things{config(R"({"a": 1, "b": 2})"),
                                       config(R"({"a": 1, "b": 3})")};
  model.show(names, things, 0, false);
  EXPECT_EQ(model.rowCount(), 1);
  EXPECT_EQ(model.index(0, 2).data().toString(), QStringLiteral("3"));
  EXPECT_TRUE(model.index(0, 2).data(Qt::ForegroundRole).isValid());
  model.show(names, things, 1, true);
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
            QStringLiteral("trial 2 (base)"));
  model.show({}, {}, 0, true);
  EXPECT_EQ(model.rowCount(), 0);
}

SeriesRow series(std::int64_t id, std::int64_t trial, int rank, const char* group, const char* name,
                 double last = 1) {
  return {.id = id,
          .trial = trial,
          .rank = rank,
          .group = QString::fromUtf8(group),
          .name = QString::fromUtf8(name),
          .points = 10,
          .last = last,
          .last_step = 100,
          .min = last - 1,
          .max = last + 1};
}

std::string text_of(const std::vector<MetricChart>& charts) {
  std::string text;
  for (const MetricChart& chart : charts) {
    text += cat(chart.title.toStdString(), ":");
    for (const ChartPart& part : chart.parts)
      text += cat(" [", part.name.toStdString(), " ", part.series.size(), "]");
    text += "\n";
  }
  return text;
}

TEST(ChartsOfTrial, PutTrainingAndValidationOfOneNameTogether) {
  const std::vector<SeriesRow> rows{
      series(1, 9, 0, "training", "accuracy"), series(2, 9, 0, "training", "loss"),
      series(3, 9, 1, "training", "loss"), series(4, 9, 0, "validation", "loss"),
      series(5, 9, 0, "system", "gpu")};
  EXPECT_EQ(text_of(charts_of_trial(rows, RankView::band)),
            "loss: [validation 1] [training 2]\naccuracy: [training 1]\ngpu: [system 1]\n");
  EXPECT_EQ(text_of(charts_of_trial(rows, RankView::each)),
            "loss: [validation 1] [training, rank 0 1] [training, rank 1 1]\n"
            "accuracy: [training 1]\ngpu: [system 1]\n");
}

TEST(ChartsOfRuns, HaveACurveForEveryRunThatReportedTheMetric) {
  const std::vector<SeriesRow> rows{series(1, 9, 0, "validation", "loss"),
                                    series(2, 10, 0, "validation", "loss"),
                                    series(3, 10, 0, "training", "loss")};
  EXPECT_EQ(text_of(charts_of_runs(rows, {{10, QStringLiteral("b")}, {9, QStringLiteral("a")}})),
            "loss (validation): [b 1] [a 1]\nloss (training): [b 1]\n");
}

TEST(Summary, TakesRanksTogetherAndKnowsWhatIsBetter) {
  std::vector<ComparedRun> runs(2);
  for (int i = 0; i < 2; ++i) {
    runs[static_cast<std::size_t>(i)].link = {Link::Kind::trial, 9 + i, {}};
    runs[static_cast<std::size_t>(i)].trial = 9 + i;
    runs[static_cast<std::size_t>(i)].metric = QStringLiteral("loss");
  }
  const auto rows = summary_of(
      {series(1, 9, 0, "validation", "loss", 4), series(2, 9, 1, "validation", "loss", 6),
       series(3, 10, 0, "validation", "loss", 3), series(4, 10, 0, "training", "loss", 2)},
      runs, 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].metric, QStringLiteral("training loss"));
  EXPECT_FALSE(rows[0].best.has_value());
  EXPECT_FALSE(rows[0].against_base.has_value()) << "the base has no such metric";
  EXPECT_EQ(rows[1].last, 5);
  EXPECT_EQ(rows[1].least, 3);
  EXPECT_EQ(rows[1].best, 3);
  EXPECT_EQ(rows[2].against_base, -2);
  SummaryModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.update(rows);
  model.update({rows[2]});
  EXPECT_EQ(model.rowCount(), 1);
}

TEST(LinksIn, ATextAreTrialsUnlessItSaysExperiment) {
  const auto links = links_in(QStringLiteral("trial 9, 10 and Experiment #7"));
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0], (Link{Link::Kind::trial, 9, {}}));
  EXPECT_EQ(links[1], (Link{Link::Kind::trial, 10, {}}));
  EXPECT_EQ(links[2], (Link{Link::Kind::experiment, 7, {}}));
}

template <class Model, class Row>
void expect_a_model(Model& model, std::vector<Row> rows) {
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.update(rows);
  rows.erase(rows.begin());
  model.update(rows);
  model.update({});
}

TEST(TrialModels, AreModelsAndShowForeignTextPlainly) {
  const auto now = [] { return std::int64_t{1'000'000}; };
  AttemptsModel attempts(now);
  AttemptRow first;
  first.attempt = 1;
  first.outcome = QStringLiteral("\u202E<b>x");
  AttemptRow second = first;
  second.attempt = 2;
  second.started_ms = 940'000;
  attempts.update({first, second});
  EXPECT_TRUE(attempts.index(0, 7).data().toString().startsWith(QStringLiteral("⟨U+202E⟩<b>x")));
  EXPECT_EQ(attempts.index(1, 4).data().toString(), QStringLiteral("1m 00s"));
  expect_a_model(attempts, std::vector<AttemptRow>{first, second});
  CheckpointsModel checkpoints(now);
  expect_a_model(checkpoints, placed(std::vector<CheckpointRow>(3)));
  VariablesModel variables;
  expect_a_model(variables, placed(std::vector<VariableRow>(3)));
  FactsModel facts;
  expect_a_model(facts, placed(std::vector<FactRow>(3)));
}

}  // namespace
}  // namespace dt::gui
