#include "gui/widgets/experiment_header.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/card.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/state_label.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int progress_width = 160;
constexpr int progress_height = 8;

QLabel* plain_label(QWidget* parent, const QString& name) {
  auto* label = new QLabel(parent);
  label->setObjectName(name);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

ExperimentHeader::ExperimentHeader(QWidget* parent) : QWidget(parent) {
  name_ = plain_label(this, u"experiment_name"_s);
  name_->setFont(title_font());
  id_ = plain_label(this, u"experiment_id"_s);
  id_->setFont(mono_font());
  state_ = new StateLabel(this);
  state_->setObjectName(u"experiment_state"_s);
  trials_ = plain_label(this, u"experiment_trials"_s);
  percent_ = plain_label(this, u"experiment_percent"_s);
  progress_ = new QProgressBar(this);
  progress_->setAccessibleName(u"Progress"_s);
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setFixedSize(progress_width, progress_height);
  pause_ = add_button(u"pause"_s, int(Icon::pause), u"Pause"_s);
  activate_ = add_button(u"activate"_s, int(Icon::play), u"Activate"_s);
  cancel_ = add_button(u"cancel"_s, int(Icon::stop), u"Cancel"_s);
  kill_ = add_button(u"kill"_s, int(Icon::kill), u"Kill"_s);
  fork_ = add_button(u"fork"_s, int(Icon::fork), u"Fork"_s);
  copy_ = add_button(u"copy_dtctl"_s, int(Icon::copy), u"dtctl"_s);
  copy_->setToolTip(u"Copy the command that shows the same"_s);
  more_ = add_button(u"more_actions"_s, int(Icon::more), {});
  more_->setText({});
  more_->setAccessibleName(u"More actions"_s);
  more_->setToolTip(u"More actions"_s);
  parent_ = add_button(u"forked_from"_s, int(Icon::fork), {});
  parent_->setFlat(true);
  message_ = new FaintLabel({}, this);
  message_->setObjectName(u"experiment_message"_s);
  staleness_ = new FaintLabel({}, this);
  staleness_->setObjectName(u"experiment_staleness"_s);
  build_rows();
  const auto chooses = [this](QPushButton* button, Verb verb) {
    connect(button, &QPushButton::clicked, this, [this, verb] { Q_EMIT verb_chosen(verb); });
  };
  chooses(pause_, Verb::pause);
  chooses(activate_, Verb::activate);
  chooses(cancel_, Verb::cancel);
  chooses(kill_, Verb::kill);
  connect(fork_, &QPushButton::clicked, this, &ExperimentHeader::fork_chosen);
  connect(copy_, &QPushButton::clicked, this, &ExperimentHeader::copy_chosen);
  connect(more_, &QPushButton::clicked, this,
          [this] { Q_EMIT menu_wanted(more_->mapToGlobal(QPoint(0, more_->height()))); });
  connect(parent_, &QPushButton::clicked, this, [this] { Q_EMIT parent_chosen(parent_id_); });
}

QPushButton* ExperimentHeader::add_button(const QString& name, int drawing, const QString& words) {
  auto* button = new QPushButton(icon(Icon(drawing)), u' ' + words, this);
  button->setObjectName(name);
  return button;
}

void ExperimentHeader::build_rows() {
  auto* first = new QHBoxLayout;
  first->setSpacing(grid);
  first->addWidget(name_);
  first->addWidget(id_);
  first->addWidget(parent_);
  first->addStretch(1);
  for (QPushButton* button : {pause_, activate_, cancel_, kill_, fork_, copy_, more_}) {
    first->addWidget(button);
  }
  auto* second = new QHBoxLayout;
  second->setSpacing(grid);
  second->addWidget(state_);
  second->addSpacing(grid);
  second->addWidget(trials_);
  second->addSpacing(grid);
  second->addWidget(progress_);
  second->addWidget(percent_);
  second->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(half_grid);
  layout->addLayout(first);
  layout->addLayout(second);
  layout->addWidget(message_);
  layout->addWidget(staleness_);
}

void ExperimentHeader::show_experiment(const ExperimentRow& row) {
  name_->setText(one_line(row.name, 80));
  name_->setToolTip(plain(row.description).toHtmlEscaped());
  id_->setText(QString::number(row.id) + (row.is_archived ? u", archived"_s : QString()));
  state_->show_state(state_word(row.state));
  const int done = row.trials_completed + row.trials_errored;
  QString trials = integer(done) + u" of "_s + plural(row.trials, u"trial"_s) + u" done"_s;
  if (row.trials_running > 0) trials += u", "_s + integer(row.trials_running) + u" running"_s;
  if (row.trials_errored > 0) trials += u", "_s + integer(row.trials_errored) + u" failed"_s;
  trials_->setText(trials);
  progress_->setValue(static_cast<int>(row.progress * 1000));
  percent_->setText(percent(row.progress));
  pause_->setVisible(can(Verb::pause, row));
  activate_->setVisible(can(Verb::activate, row));
  cancel_->setVisible(can(Verb::cancel, row));
  kill_->setVisible(can(Verb::kill, row));
  parent_id_ = row.forked_from;
  parent_->setVisible(parent_id_ != 0);
  parent_->setText(u" fork of "_s + QString::number(parent_id_));
  message_->set_text(plain(row.message));
  message_->set_bad(row.state == u"ERROR"_s);
}

void ExperimentHeader::show_staleness(const QString& words) { staleness_->set_text(words); }

}  // namespace dt::gui
