#include "gui/pages/experiment_logs.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/format.h"
#include "gui/widgets/combo_box.h"
#include "gui/widgets/log_panel.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::size_t choices_max = 500;

QString words_of(const TrialRow& trial) {
  QString words = u"trial "_s + QString::number(trial.id) + u" · "_s + trial_word(trial);
  if (trial.best) words += u" · "_s + number(*trial.best);
  return words;
}

}  // namespace

ExperimentLogs::ExperimentLogs(Session& session, QWidget* parent) : QWidget(parent) {
  auto* title = new QLabel(u"Log of"_s, this);
  trial_ = new ComboBox(this);
  trial_->setObjectName(u"log_trial"_s);
  trial_->setAccessibleName(u"Whose log"_s);
  title->setBuddy(trial_);
  log_ = new LogPanel(session, this);
  auto* row = new QHBoxLayout;
  row->setSpacing(grid);
  row->addWidget(title);
  row->addWidget(trial_);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, grid, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(log_, 1);
  connect(trial_, &QComboBox::currentIndexChanged, this, &ExperimentLogs::show_chosen);
}

void ExperimentLogs::set_trials(const std::map<std::int64_t, TrialRow>& trials,
                                const std::vector<std::int64_t>& merit) {
  choices_.clear();
  for (const bool running : {true, false}) {
    for (const std::int64_t id : merit) {
      const TrialRow& trial = trials.at(id);
      const bool runs = trial_word(trial) == u"running"_s;
      if (runs != running || choices_.size() == choices_max) continue;
      choices_.emplace_back(id, words_of(trial));
    }
  }
  if (isVisible()) fill();
}

void ExperimentLogs::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

// The words change all the time; the list that is open does not move below the pointer.
void ExperimentLogs::fill() {
  if (trial_->view()->isVisible()) return;
  {
    const QSignalBlocker blocker(trial_);
    const std::int64_t chosen = trial_->currentData().toLongLong();
    trial_->clear();
    for (const auto& [id, words] : choices_)
      trial_->addItem(words, QVariant::fromValue<qint64>(id));
    const int at = trial_->findData(QVariant::fromValue<qint64>(chosen));
    trial_->setCurrentIndex(std::max(0, at));
  }
  show_chosen();
}

void ExperimentLogs::show_chosen() {
  const std::int64_t chosen = trial_->currentData().toLongLong();
  if (chosen == 0 || chosen == shown_) return;
  shown_ = chosen;
  log_->show_trial(chosen);
}

}  // namespace dt::gui
