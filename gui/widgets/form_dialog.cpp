#include "gui/widgets/form_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int headline_size = 15;

QLabel* text_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

}  // namespace

FormDialog::FormDialog(const Words& words, QWidget* parent)
    : QDialog(parent ? parent->window() : nullptr),
      body_(new QVBoxLayout()),
      problem_(text_label({}, this)),
      yes_(new QPushButton(words.yes, this)),
      no_(new QPushButton(words.no, this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(words.headline);
  setModal(true);
  setFixedWidth(56 * grid);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * grid, 3 * grid, 3 * grid, 2 * grid);
  layout->setSpacing(grid);
  QLabel* headline = text_label(words.headline, this);
  QFont font = bold_font();
  font.setPixelSize(headline_size);
  headline->setFont(font);
  layout->addWidget(headline);
  layout->addWidget(text_label(words.text, this));
  body_->setSpacing(grid);
  layout->addLayout(body_);
  problem_->setObjectName(QStringLiteral("form_problem"));
  problem_->setProperty("bad", true);
  problem_->hide();
  layout->addWidget(problem_);
  layout->addSpacing(grid);
  auto* buttons = new QHBoxLayout();
  buttons->addStretch();
  buttons->addWidget(no_);
  buttons->addWidget(yes_);
  layout->addLayout(buttons);
  yes_->setObjectName(QStringLiteral("form_yes"));
  yes_->setProperty("primary", true);
  yes_->setDefault(true);
  connect(no_, &QPushButton::clicked, this, &QDialog::reject);
  connect(yes_, &QPushButton::clicked, this, [this] {
    yes_->setEnabled(false);
    problem_->hide();
    Q_EMIT wanted();
  });
}

void FormDialog::show_problem(const QString& problem) {
  yes_->setEnabled(true);
  problem_->setText(problem);
  problem_->show();
}

}  // namespace dt::gui
