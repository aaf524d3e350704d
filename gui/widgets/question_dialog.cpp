#include "gui/widgets/question_dialog.h"

#include <QPushButton>
#include <utility>

#include "gui/widgets/form_dialog.h"

namespace dt::gui {

void ask_question(const Question& question, QWidget* parent, std::function<void()> on_yes) {
  auto* dialog = new FormDialog({.headline = question.headline,
                                 .text = question.text,
                                 .yes = question.button,
                                 .no = QStringLiteral("Keep")},
                                parent);
  dialog->yes()->setProperty("primary", false);
  dialog->yes()->setProperty("danger", true);
  dialog->yes()->setAutoDefault(false);
  dialog->no()->setDefault(true);
  QObject::connect(dialog, &FormDialog::wanted, dialog, &QDialog::accept);
  QObject::connect(dialog, &QDialog::accepted, dialog, std::move(on_yes));
  dialog->open();
}

}  // namespace dt::gui
