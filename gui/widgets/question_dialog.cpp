#include "gui/widgets/question_dialog.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

QLabel* text_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

}  // namespace

void ask_question(const Question& question, QWidget* parent, std::function<void()> on_yes) {
  auto* dialog = new QDialog(parent ? parent->window() : nullptr);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(question.headline);
  dialog->setModal(true);
  dialog->setFixedWidth(56 * grid);
  auto* layout = new QVBoxLayout(dialog);
  layout->setContentsMargins(3 * grid, 3 * grid, 3 * grid, 2 * grid);
  layout->setSpacing(grid);
  QLabel* headline = text_label(question.headline, dialog);
  QFont font = bold_font();
  font.setPixelSize(15);
  headline->setFont(font);
  layout->addWidget(headline);
  layout->addWidget(text_label(question.text, dialog));
  layout->addSpacing(grid);
  auto* buttons = new QHBoxLayout();
  buttons->addStretch();
  auto* no = new QPushButton(QStringLiteral("Keep"), dialog);
  auto* yes = new QPushButton(question.button, dialog);
  yes->setProperty("danger", true);
  yes->setAutoDefault(false);
  no->setDefault(true);
  buttons->addWidget(no);
  buttons->addWidget(yes);
  layout->addLayout(buttons);
  QObject::connect(no, &QPushButton::clicked, dialog, &QDialog::reject);
  QObject::connect(yes, &QPushButton::clicked, dialog, &QDialog::accept);
  QObject::connect(dialog, &QDialog::accepted, dialog, std::move(on_yes));
  dialog->open();
}

}  // namespace dt::gui
