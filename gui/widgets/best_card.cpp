#include "gui/widgets/best_card.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int hparams_shown = 8;
constexpr double value_size = 2.0;  // of the base font

}  // namespace

BestCard::BestCard(QWidget* parent) : Card(u"Best"_s, parent) {
  value_ = new QLabel(this);
  value_->setObjectName(u"best_value"_s);
  value_->setTextFormat(Qt::PlainText);
  value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  QFont large = bold_font();
  large.setPixelSize(static_cast<int>(large.pixelSize() * value_size));
  value_->setFont(large);
  metric_ = new FaintLabel({}, this);
  trial_ = new QPushButton(icon(Icon::open), {}, this);
  trial_->setObjectName(u"open_best"_s);
  connect(trial_, &QPushButton::clicked, this, [this] { Q_EMIT opened(trial_id_); });
  heading()->addWidget(trial_);
  hparams_ = new QWidget(this);
  grid_ = new QGridLayout(hparams_);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(2 * grid);
  grid_->setVerticalSpacing(half_grid);
  grid_->setColumnStretch(0, 1);
  body()->setSpacing(half_grid);
  body()->addWidget(value_);
  body()->addWidget(metric_);
  body()->addWidget(hparams_);
  body()->addStretch(1);
}

void BestCard::show_trial(const TrialRow* trial, const QString& metric, const HparamNames& names) {
  const bool has_value = trial != nullptr && trial->best.has_value();
  trial_->setVisible(has_value);
  hparams_->setVisible(has_value);
  if (!has_value) {
    value_->setText(u"–"_s);
    return metric_->set_text(u"No trial has reported "_s + one_line(metric, 60) + u" yet."_s);
  }
  trial_id_ = trial->id;
  value_->setText(number(*trial->best));
  value_->setToolTip(full_number(*trial->best));
  metric_->set_text(one_line(metric, 60));
  trial_->setText(u" trial "_s + QString::number(trial->id));
  show_hparams(*trial, names.searched);
}

void BestCard::show_hparams(const TrialRow& trial, const std::vector<QString>& names) {
  int row = 0;
  const auto label_at = [&](int column) {
    QLayoutItem* item = grid_->itemAtPosition(row, column);
    if (item != nullptr) return qobject_cast<QLabel*>(item->widget());
    auto* label = new QLabel(hparams_);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid_->addWidget(label, row, column, column == 0 ? Qt::AlignLeft : Qt::AlignRight);
    return label;
  };
  for (const QString& name : names) {
    const Value* value = trial.hparam(name);
    if (value == nullptr || row == hparams_shown) continue;
    QLabel* title = label_at(0);
    QLabel* text = label_at(1);
    title->setText(one_line(name, 32));
    text->setText(one_line(value_text(*value), 24));
    title->show();
    text->show();
    ++row;
  }
  for (; grid_->itemAtPosition(row, 0) != nullptr; ++row) {
    label_at(0)->hide();
    label_at(1)->hide();
  }
}

}  // namespace dt::gui
