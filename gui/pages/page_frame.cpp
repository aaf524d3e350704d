#include "gui/pages/page_frame.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/widgets/theme.h"

namespace dt::gui {

PageFrame build_frame(QWidget& page, QLabel* word, QWidget* content) {
  auto* rows = new QVBoxLayout(&page);
  rows->setContentsMargins(2 * grid, 2 * grid, 2 * grid, 2 * grid);
  rows->setSpacing(grid + half_grid);
  auto* top = new QHBoxLayout();
  top->setSpacing(grid + half_grid);
  auto* title = new QLabel(page.windowTitle(), &page);
  title->setTextFormat(Qt::PlainText);
  title->setFont(title_font());
  top->addWidget(title);
  word->setTextFormat(Qt::PlainText);
  word->setProperty("faint", true);
  top->addWidget(word, 0, Qt::AlignVCenter);
  top->addStretch();
  auto* buttons = new QHBoxLayout();
  buttons->setSpacing(grid);
  top->addLayout(buttons);
  rows->addLayout(top);
  rows->addWidget(content, 1);
  return {rows, buttons};
}

QWidget* parent_in(const QTabWidget& tabs) { return tabs.findChild<QStackedWidget*>(); }

}  // namespace dt::gui
