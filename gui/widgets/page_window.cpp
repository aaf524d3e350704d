#include "gui/widgets/page_window.h"

#include <QCloseEvent>
#include <QToolBar>

#include "gui/data/format.h"
#include "gui/widgets/icons.h"

namespace dt::gui {

PageWindow::PageWindow(QWidget* page) : page_(page) {
  setAttribute(Qt::WA_DeleteOnClose);
  const auto show_title = [this] {
    setWindowTitle(one_line(page_->windowTitle(), 100) + QStringLiteral(" – Dovetail"));
  };
  show_title();
  connect(page, &QWidget::windowTitleChanged, this, show_title);
  auto* bar = addToolBar(QStringLiteral("Window"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  bar->addAction(icon(Icon::dock_back), QStringLiteral("Put back"), this,
                 [this] { Q_EMIT put_back_wanted(page_); });
  setCentralWidget(page);
  page->show();
}

QWidget* PageWindow::release() {
  takeCentralWidget();
  disconnect(page_, nullptr, this, nullptr);
  deleteLater();
  hide();
  return page_;
}

void PageWindow::closeEvent(QCloseEvent* event) {
  Q_EMIT closed(page_);
  QMainWindow::closeEvent(event);
}

void PageWindow::moveEvent(QMoveEvent*) { Q_EMIT changed(); }

void PageWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  Q_EMIT changed();
}

}  // namespace dt::gui
