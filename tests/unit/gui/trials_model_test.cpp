#include "gui/models/trials_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <limits>

#include "gui/data/overview_curves.h"
#include "gui/data/waiting_words.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;

constexpr std::int64_t now_ms = 1'000'000;

v1::Trial a_trial(std::int64_t id, const std::string& hparams) {
  v1::Trial trial;
  trial.set_id(id);
  trial.set_number(static_cast<int>(id) - 1);
  trial.set_state("ACTIVE");
  trial.set_hparams_json(hparams);
  trial.set_created_ms(now_ms - 72'000);
  return trial;
}

const char* const config = R"({"hyperparameters": {
  "lr": {"type": "log", "minval": -4, "maxval": -1, "base": 10},
  "global_batch_size": {"type": "const", "val": 128},
  "optimizer": {"name": {"type": "categorical", "vals": ["adam", "sgd"]}, "eps": 1e-8}}})";

QStringList titles(const QAbstractItemModel& model) {
  QStringList words;
  for (int column = 0; column < model.columnCount(); ++column) {
    words += model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  }
  return words;
}

TEST(TrialRows, FlattenHyperparameters) {
  const TrialRow row = row_of(a_trial(9, R"({"lr": 0.003, "optimizer": {"name": "adam"}})"));
  ASSERT_EQ(row.hparams.size(), 2u);
  EXPECT_EQ(*row.hparam("optimizer.name"), Value("adam"));
  EXPECT_EQ(row.hparam("optimizer"), nullptr);
  EXPECT_TRUE(row_of(a_trial(9, "not json")).hparams.empty());
}

TEST(TrialRows, AreCalledAsPeopleCallThem) {
  v1::Trial trial = a_trial(1, "{}");
  EXPECT_EQ(trial_word(row_of(trial)), "running");
  trial.set_waiting_reason("2 slots are wanted, 0 are free");
  EXPECT_EQ(trial_word(row_of(trial)), "waiting");
  trial.set_state("COMPLETED");
  trial.set_stopped_by_searcher(true);
  EXPECT_EQ(trial_word(row_of(trial)), "stopped early");
}

TEST(TrialRows, HaveTrainedToTheEndWhenTheConfigurationSaysSo) {
  EXPECT_EQ(most_batches(R"({"searcher": {"max_time": 1600, "time_metric": "batches"}})"), 1600);
  EXPECT_EQ(most_batches(R"({"searcher": {"max_time": 10, "time_metric": "epochs"}})"),
            std::nullopt);
  EXPECT_EQ(most_batches(R"({"searcher": {"name": "single"}})"), std::nullopt);
  EXPECT_EQ(most_batches("not json"), std::nullopt);
}

TEST(TrialsModel, HasAColumnForEveryHyperparameterSearchedOnesFirst) {
  RunColors colors;
  TrialsModel model(colors, [] { return now_ms; });
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const std::vector<TrialRow> rows = {row_of(a_trial(1, R"({"lr": 0.003, "global_batch_size": 128,
                            "optimizer": {"name": "adam", "eps": 1e-8}})"))};
  model.set_experiment("accuracy", false, hparam_names(config, rows));
  model.update(rows);
  EXPECT_EQ(titles(model).join(u'|').toStdString(),
            "Trial|State|lr|optimizer.name|Best accuracy|Latest|Curve|Step|Ranks|Time|"
            "global_batch_size|optimizer.eps");
  EXPECT_EQ(model.index(0, 2).data().toString(), "0.003");
  EXPECT_EQ(model.index(0, 3).data().toString(), "adam");
  EXPECT_EQ(model.index(0, 9).data().toString(), "1m 12s");
  EXPECT_TRUE(model.index(0, 0).data(swatch_role).isValid());
  EXPECT_EQ(model.index(0, 0).data(link_role).value<Link>(), (Link{Link::Kind::trial, 1, {}}));
}

TEST(TrialsModel, ChangesLessThanItShows) {
  RunColors colors;
  TrialsModel model(colors, [] { return now_ms; });
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  std::vector<TrialRow> rows;
  for (int id = 1; id <= 10; ++id) rows.push_back(row_of(a_trial(id, "{}")));
  model.update(rows);
  int changes = 0;
  QObject::connect(&model, &QAbstractItemModel::dataChanged, &model, [&] { ++changes; });
  rows[3].best = 0.5;
  model.merge({rows[3], rows[4]});
  EXPECT_EQ(changes, 1);
  model.merge({row_of(a_trial(11, "{}"))});
  EXPECT_EQ(model.rowCount(), 11);
}

TEST(TrialsModel, AHiddenTrialHasNoSwatch) {
  RunColors colors;
  TrialsModel model(colors, [] { return now_ms; });
  model.update({row_of(a_trial(1, "{}")), row_of(a_trial(2, "{}"))});
  model.set_hidden({2});
  EXPECT_TRUE(model.index(0, 0).data(swatch_role).isValid());
  EXPECT_FALSE(model.index(1, 0).data(swatch_role).isValid());
}

TEST(TrialsModel, HostileTextStaysText) {
  RunColors colors;
  TrialsModel model(colors, [] { return now_ms; });
  v1::Trial trial = a_trial(1, R"({"<img src=x>": "\u202eevil"})");
  trial.set_message("<b>boom</b>\n" + std::string(10'000, 'x'));
  const std::vector<TrialRow> rows = {row_of(trial)};
  model.set_experiment("<i>m</i>", true, hparam_names("{}", rows));
  model.update(rows);
  EXPECT_FALSE(model.index(0, 2).data().toString().contains(QChar(0x202e)));
  EXPECT_LT(model.index(0, 1).data(Qt::ToolTipRole).toString().size(), 5'000);
}

// --- which curves are shown

std::map<std::int64_t, TrialRow> trials_with(const std::vector<double>& best) {
  std::map<std::int64_t, TrialRow> trials;
  for (std::size_t i = 0; i < best.size(); ++i) {
    TrialRow row{.id = static_cast<std::int64_t>(i) + 1};
    row.best = best[i];
    trials[row.id] = row;
  }
  return trials;
}

TEST(OverviewCurves, TheBestComeFirstAndNaNLast) {
  auto trials = trials_with({0.5, std::numeric_limits<double>::quiet_NaN(), 0.9, 0.1});
  trials[5] = {.id = 5};  // nothing reported yet
  EXPECT_EQ(by_merit(trials, false), (std::vector<std::int64_t>{3, 1, 4, 5, 2}));
  EXPECT_EQ(by_merit(trials, true), (std::vector<std::int64_t>{4, 1, 3, 5, 2}));
}

TEST(OverviewCurves, TheBestFewAreStrongUnlessSomeAreSelected) {
  const auto trials = trials_with({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  std::map<std::int64_t, std::vector<CurvePoint>> points;
  for (const auto& [id, row] : trials) points[id] = {{.x = 1, .value = 1}};
  RunColors colors;
  const auto strong = [&](const CurveChoice& choice) {
    std::vector<std::int64_t> keys;
    for (const Curve& curve : overview_curves(points, by_merit(trials, true), choice, colors)) {
      if (curve.is_strong) keys.push_back(curve.key);
    }
    return keys;
  };
  EXPECT_EQ(strong({}), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(strong({.selected = {9}, .hidden = {}}), (std::vector<std::int64_t>{9}));
  EXPECT_EQ(strong({.selected = {}, .hidden = {1}}), (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
}

// --- what is said while there is nothing

TEST(WaitingWords, TellWhatIsWaitedFor) {
  const ExperimentRow experiment{.id = 7, .state = "ACTIVE"};
  const JobRow job{.pool = "default", .state = "queued", .position = 3, .slots_wanted = 2};
  const WaitingWords words = waiting_words("trials", experiment, job);
  EXPECT_EQ(words.headline, "No trials yet");
  EXPECT_EQ(words.text, "Waiting for 2 slots; position 3 in pool default.");
}

TEST(WaitingWords, OfAnEndedExperimentSayWhy) {
  const ExperimentRow experiment{.state = "ERROR", .message = "prepare failed"};
  EXPECT_EQ(
      waiting_words("points", experiment, {}),
      (WaitingWords{"No points", "The experiment ended (error) and left none.\nprepare failed"}));
}

}  // namespace
}  // namespace dt::gui
