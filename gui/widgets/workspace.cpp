#include "gui/widgets/workspace.h"

#include <QApplication>
#include <QJsonArray>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "gui/widgets/page_tabs.h"
#include "gui/widgets/page_window.h"

namespace dt::gui {
namespace {

constexpr const char* id_property = "dovetail_page";

QString text_of(const QWidget* page) { return page->property(id_property).toString(); }

}  // namespace

Workspace::Workspace(Maker make, QWidget* parent) : QSplitter(parent), make_(std::move(make)) {
  setChildrenCollapsible(false);
  setHandleWidth(1);
  add_area();
  connect(this, &QSplitter::splitterMoved, this, &Workspace::layout_changed);
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { note_focus(now); });
}

Workspace::~Workspace() {
  is_restoring_ = true;  // nothing is told any more
  for (PageWindow* window : std::exchange(windows_, {})) {
    window->disconnect(this);
    delete window;
  }
}

PageTabs* Workspace::add_area() {
  auto* area = new PageTabs(this);
  areas_.push_back(area);
  addWidget(area);
  connect(area, &PageTabs::changed, this, [this] {
    if (is_restoring_) return;
    Q_EMIT current_changed();
    Q_EMIT layout_changed();
  });
  connect(area, &PageTabs::tear_off_wanted, this, [this](QWidget* page) { tear_off(page); });
  connect(area, &PageTabs::other_side_wanted, this, &Workspace::to_other_side);
  connect(area, &PageTabs::close_wanted, this, &Workspace::close);
  connect(area, &PageTabs::close_others_wanted, this, &Workspace::close_others);
  return area;
}

bool Workspace::open(const PageId& id) {
  QWidget* page = find(id);
  if (page == nullptr) {
    // Made with the parent that it will have: a change of it would style the whole page anew.
    page = make_(id, areas_[front_]->findChild<QStackedWidget*>());
    if (page == nullptr) return false;
    page->setProperty(id_property, to_text(id));
    areas_[front_]->add(page);
    if (!is_restoring_) {  // in a turn of its own: to make a page and to lay it out each take time
      QTimer::singleShot(0, page, [this, page] { show(page); });
      return true;
    }
  }
  show(page);
  return true;
}

QWidget* Workspace::find(const PageId& id) const {
  const QString text = to_text(id);
  for (const PageTabs* area : areas_) {
    for (int at = 0; at < area->count(); ++at) {
      if (text_of(area->widget(at)) == text) return area->widget(at);
    }
  }
  for (const PageWindow* window : windows_) {
    if (text_of(window->page()) == text) return window->page();
  }
  return nullptr;
}

void Workspace::show(QWidget* page) {
  if (PageTabs* area = area_of(page)) {
    front_ =
        static_cast<std::size_t>(std::find(areas_.begin(), areas_.end(), area) - areas_.begin());
    area->setCurrentWidget(page);
    page->setFocus();
  } else {
    page->window()->raise();
    page->window()->activateWindow();
  }
  if (!is_restoring_) Q_EMIT current_changed();
}

PageTabs* Workspace::area_of(QWidget* page) const {
  for (PageTabs* area : areas_) {
    if (area->indexOf(page) >= 0) return area;
  }
  return nullptr;
}

QWidget* Workspace::current_page() const { return areas_[front_]->currentWidget(); }

std::optional<PageId> Workspace::current() const {
  const QWidget* page = current_page();
  return page ? page_from_text(text_of(page)) : std::nullopt;
}

void Workspace::close_current() {
  if (QWidget* page = current_page()) close(page);
}

void Workspace::tear_off_current() {
  if (QWidget* page = current_page()) tear_off(page);
}

void Workspace::move_current_to_other_side() {
  if (QWidget* page = current_page()) to_other_side(page);
}

void Workspace::step(int by) {
  PageTabs* area = areas_[front_];
  if (area->count() == 0) return;
  area->setCurrentIndex((area->currentIndex() + by + area->count()) % area->count());
}

void Workspace::tear_off(QWidget* page, const QByteArray& geometry) {
  if (PageTabs* area = area_of(page)) area->take(page);
  auto* window = new PageWindow(page);
  windows_.push_back(window);
  connect(window, &PageWindow::put_back_wanted, this, &Workspace::put_back);
  connect(window, &PageWindow::changed, this, &Workspace::layout_changed);
  connect(window, &PageWindow::closed, this, [this, window] {
    std::erase(windows_, window);
    Q_EMIT layout_changed();
  });
  if (geometry.isEmpty() || !window->restoreGeometry(geometry)) window->resize(960, 640);
  window->show();
  tidy_areas();
  if (!is_restoring_) Q_EMIT layout_changed();
}

void Workspace::put_back(QWidget* page) {
  const auto window = std::find_if(windows_.begin(), windows_.end(),
                                   [&](PageWindow* w) { return w->page() == page; });
  if (window == windows_.end()) return;
  (*window)->release();
  windows_.erase(window);
  areas_[front_]->add(page);
  show(page);
}

void Workspace::to_other_side(QWidget* page) {
  PageTabs* from = area_of(page);
  if (from == nullptr || (areas_.size() == 1 && from->count() < 2)) return;
  if (areas_.size() == 1) {
    add_area();
    setSizes({width() / 2, width() / 2});
  }
  PageTabs* to = areas_[0] == from ? areas_[1] : areas_[0];
  from->take(page);
  to->add(page);
  tidy_areas();
  show(page);
}

void Workspace::close(QWidget* page) {
  if (PageTabs* area = area_of(page)) area->take(page);
  page->deleteLater();
  tidy_areas();
  Q_EMIT current_changed();
  Q_EMIT layout_changed();
}

void Workspace::close_others(QWidget* page) {
  PageTabs* area = area_of(page);
  for (int at = area->count() - 1; at >= 0; --at) {
    if (area->widget(at) != page) close(area->widget(at));
  }
}

// An empty second area goes.
void Workspace::tidy_areas() {
  for (std::size_t at = 0; areas_.size() > 1 && at < areas_.size(); ++at) {
    if (areas_[at]->count() > 0) continue;
    areas_[at]->disconnect(this);
    areas_[at]->hide();
    areas_[at]->deleteLater();
    areas_.erase(areas_.begin() + static_cast<std::ptrdiff_t>(at));
    front_ = 0;
    return;
  }
}

void Workspace::note_focus(QWidget* now) {
  for (std::size_t at = 0; at < areas_.size(); ++at) {
    if (now == nullptr || !areas_[at]->isAncestorOf(now) || front_ == at) continue;
    front_ = at;
    Q_EMIT current_changed();
  }
}

QJsonObject Workspace::layout() const {
  QJsonArray areas, windows;
  for (const PageTabs* area : areas_) {
    QJsonArray pages;
    for (int at = 0; at < area->count(); ++at) pages.append(text_of(area->widget(at)));
    areas.append(QJsonObject{{"pages", pages}, {"current", area->currentIndex()}});
  }
  for (const PageWindow* window : windows_) {
    windows.append(
        QJsonObject{{"page", text_of(window->page())},
                    {"geometry", QString::fromLatin1(window->saveGeometry().toBase64())}});
  }
  return {{"areas", areas},
          {"windows", windows},
          {"front", static_cast<int>(front_)},
          {"sizes", QString::fromLatin1(saveState().toBase64())}};
}

void Workspace::restore(const QJsonObject& layout) {
  is_restoring_ = true;
  const QJsonArray areas = layout["areas"].toArray();
  for (qsizetype i = 0; i < std::min<qsizetype>(areas.size(), 2); ++i) {
    if (i == 1 && areas_[0]->count() > 0) add_area();
    front_ = areas_.size() - 1;
    for (const QJsonValue& text : areas[i].toObject()["pages"].toArray()) {
      if (const auto id = page_from_text(text.toString())) open(*id);
    }
    areas_[front_]->setCurrentIndex(areas[i].toObject()["current"].toInt());
  }
  for (const QJsonValue& window : layout["windows"].toArray()) {
    const auto id = page_from_text(window.toObject()["page"].toString());
    if (!id || !open(*id)) continue;
    tear_off(find(*id),
             QByteArray::fromBase64(window.toObject()["geometry"].toString().toLatin1()));
  }
  tidy_areas();
  restoreState(QByteArray::fromBase64(layout["sizes"].toString().toLatin1()));
  front_ = std::min<std::size_t>(static_cast<std::size_t>(std::max(0, layout["front"].toInt())),
                                 areas_.size() - 1);
  is_restoring_ = false;
  Q_EMIT current_changed();
}

}  // namespace dt::gui
