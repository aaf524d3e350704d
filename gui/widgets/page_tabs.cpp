#include "gui/widgets/page_tabs.h"

#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>

#include "gui/data/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int far_out = 5 * grid;
constexpr int longest_title = 32;
constexpr int close_side = 12;

}  // namespace

PageTabs::PageTabs(QWidget* parent) : QTabWidget(parent) {
  auto* bar = new TearOffBar(this);
  setTabBar(bar);
  setDocumentMode(true);
  setMovable(true);
  setElideMode(Qt::ElideRight);
  setUsesScrollButtons(true);
  bar->setExpanding(false);
  bar->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(bar, &QWidget::customContextMenuRequested, this, &PageTabs::show_menu);
  connect(bar, &TearOffBar::torn_off, this,
          [this](int tab) { Q_EMIT tear_off_wanted(widget(tab)); });
  connect(bar, &QTabBar::tabMoved, this, &PageTabs::changed);
  connect(this, &QTabWidget::currentChanged, this, &PageTabs::changed);
  connect(bar, &TearOffBar::middle_clicked, this,
          [this](int tab) { Q_EMIT close_wanted(widget(tab)); });
}

void PageTabs::add(QWidget* page) {
  const int tab = addTab(page, QString());
  auto* close = new QToolButton(this);
  close->setIcon(icon(Icon::close));
  close->setIconSize({close_side, close_side});
  close->setProperty("close", true);
  close->setFocusPolicy(Qt::NoFocus);
  close->setToolTip(QStringLiteral("Close (Ctrl+W)"));
  close->setAccessibleName(QStringLiteral("Close"));
  tabBar()->setTabButton(tab, QTabBar::RightSide, close);
  connect(close, &QToolButton::clicked, this, [this, page] { Q_EMIT close_wanted(page); });
  show_title(page);
  connect(page, &QWidget::windowTitleChanged, this, [this, page] { show_title(page); });
}

void PageTabs::take(QWidget* page) {
  disconnect(page, &QWidget::windowTitleChanged, this, nullptr);
  removeTab(indexOf(page));
}

void PageTabs::show_title(QWidget* page) {
  QString title = one_line(page->windowTitle(), longest_title);
  setTabToolTip(indexOf(page), tip_text(one_line(page->windowTitle(), 300)));
  setTabText(indexOf(page), title.replace(QLatin1Char('&'), QStringLiteral("&&")));
}

void PageTabs::show_menu(const QPoint& at) {
  const int tab = tabBar()->tabAt(at);
  if (tab < 0) return;
  QWidget* page = widget(tab);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(icon(Icon::tear_off), QStringLiteral("Open in its own window"), this,
                  [this, page] { Q_EMIT tear_off_wanted(page); });
  menu->addAction(icon(Icon::split), QStringLiteral("Move to the other side"), this,
                  [this, page] { Q_EMIT other_side_wanted(page); });
  menu->addSeparator();
  menu->addAction(icon(Icon::close), QStringLiteral("Close\tCtrl+W"), this,
                  [this, page] { Q_EMIT close_wanted(page); });
  menu->addAction(QStringLiteral("Close the others"), this,
                  [this, page] { Q_EMIT close_others_wanted(page); });
  menu->popup(tabBar()->mapToGlobal(at));
}

void TearOffBar::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->button() == Qt::LeftButton ? tabAt(event->position().toPoint()) : -1;
  if (event->button() == Qt::MiddleButton) {
    const int tab = tabAt(event->position().toPoint());
    if (tab >= 0) return Q_EMIT middle_clicked(tab);
  }
  QTabBar::mousePressEvent(event);
}

void TearOffBar::mouseMoveEvent(QMouseEvent* event) {
  const bool is_out =
      !rect().adjusted(-far_out, -far_out, far_out, far_out).contains(event->position().toPoint());
  if (pressed_ < 0 || !is_out) return QTabBar::mouseMoveEvent(event);
  // The bar's own drag ends first, or it would go on with a tab that is gone.
  QMouseEvent release(QEvent::MouseButtonRelease, event->position(), event->globalPosition(),
                      Qt::LeftButton, Qt::NoButton, event->modifiers());
  QTabBar::mouseReleaseEvent(&release);
  pressed_ = -1;
  Q_EMIT torn_off(currentIndex());
}

}  // namespace dt::gui
