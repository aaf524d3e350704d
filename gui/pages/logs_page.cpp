#include "gui/pages/logs_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "dovetail/v1/trial.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/data/problem_words.h"
#include "gui/session.h"
#include "gui/widgets/combo_box.h"
#include "gui/widgets/log_panel.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int trials_listed = 1'000;

}  // namespace

LogPage::LogPage(Session& session, const LogOf& log, QWidget* parent) : QWidget(parent) {
  setWindowTitle(QStringLiteral("Log of trial %1").arg(log.trial));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2 * grid, grid, 2 * grid, 2 * grid);
  panel_ = new LogPanel(session, this);
  layout->addWidget(panel_);
  panel_->show_trial(log.trial);
  if (log.time_ms > 0) show_time(log.time_ms);
}

void LogPage::show_time(std::int64_t time_ms) { panel_->show_time(time_ms); }

LogsPlace::LogsPlace(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  setWindowTitle(QStringLiteral("Logs"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2 * grid, 2 * grid, 2 * grid, 2 * grid);
  layout->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setSpacing(grid);
  experiment_ = new ComboBox(this);
  experiment_->setAccessibleName(QStringLiteral("Experiment"));
  experiment_->setMinimumContentsLength(28);
  experiment_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  trial_ = new ComboBox(this);
  trial_->setAccessibleName(QStringLiteral("Trial"));
  trial_->setMinimumContentsLength(20);
  problem_ = new QLabel(this);
  problem_->setTextFormat(Qt::PlainText);
  tools->addWidget(experiment_);
  tools->addWidget(trial_);
  tools->addWidget(problem_, 1);
  layout->addLayout(tools);
  panel_ = new LogPanel(session);
  content_ = new Content(panel_, this);
  layout->addWidget(content_, 1);
  connect(&session.experiments, &ExperimentFeed::loaded, this, &LogsPlace::show_experiments);
  connect(&session.experiments, &ExperimentFeed::changed, this, &LogsPlace::show_experiments);
  connect(experiment_, &QComboBox::currentIndexChanged, this, &LogsPlace::ask_trials);
  connect(trial_, &QComboBox::currentIndexChanged, this, &LogsPlace::show_trial);
  content_->show_empty(
      QStringLiteral("No trials yet"),
      QStringLiteral("What trials print is shown here; launch an experiment first."));
  show_experiments();
}

// The chosen one stays chosen while others come and go.
void LogsPlace::show_experiments() {
  const QVariant chosen = experiment_->currentData();
  {
    const QSignalBlocker quiet(experiment_);
    experiment_->clear();
    for (const ExperimentRow& row : session_.experiments.rows()) {
      experiment_->addItem(QStringLiteral("%1  %2").arg(row.id).arg(one_line(row.name, 60)),
                           qlonglong{row.id});
    }
    experiment_->setCurrentIndex(std::max(0, experiment_->findData(chosen)));
  }
  if (experiment_->currentData() != chosen) ask_trials();
}

void LogsPlace::ask_trials() {
  if (experiment_->count() == 0) return;
  v1::ListTrialsRequest request;
  request.set_experiment_id(experiment_->currentData().toLongLong());
  request.mutable_page()->set_size(trials_listed);
  asking_ = session_.master.call<v1::Trials>(
      &v1::Trials::Stub::ListTrials, request, [this](Result<v1::ListTrialsResponse> got) {
        problem_->setText(got.ok() ? QString() : problem_line(got.status()));
        if (!got.ok()) return;
        const QSignalBlocker quiet(trial_);
        trial_->clear();
        int first_running = -1;  // what somebody wants to see who chose none
        for (const v1::Trial& trial : got->trials()) {
          if (first_running < 0 && trial.state() == "RUNNING") first_running = trial_->count();
          trial_->addItem(QStringLiteral("trial %1  %2")
                              .arg(trial.id())
                              .arg(state_word(QString::fromStdString(trial.state()))),
                          qlonglong{trial.id()});
        }
        if (first_running >= 0) trial_->setCurrentIndex(first_running);
        show_trial();
      });
}

void LogsPlace::show_trial() {
  if (trial_->count() == 0) {
    return content_->show_empty(
        QStringLiteral("No trials yet"),
        QStringLiteral("The search of this experiment has made none so far."));
  }
  content_->show_content();
  panel_->show_trial(trial_->currentData().toLongLong());
}

}  // namespace dt::gui
