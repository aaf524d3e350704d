#include "tests/gui/probe.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QLocalSocket>
#include <QMenu>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTableView>
#include <algorithm>

#include "gui/widgets/chart.h"
#include "gui/widgets/log_panel.h"
#include "gui/widgets/log_view.h"
#include "gui/widgets/state_label.h"
#include "gui/widgets/yaml_editor.h"
#include "tests/gui/watched_application.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::int64_t lines_max = 100;

QJsonArray rect_on_screen(const QWidget& widget, const QRect& inside) {
  const QRect seen = inside.intersected(widget.visibleRegion().boundingRect());
  const QPoint corner = widget.mapToGlobal(seen.topLeft());
  return {corner.x(), corner.y(), seen.width(), seen.height()};
}

bool is_seen(const QWidget& widget) {
  return widget.isVisible() && !widget.visibleRegion().isEmpty();
}

// What a person reads on it.
QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const StateLabel*>(&widget)) return label->word();
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* edit = qobject_cast<const QLineEdit*>(&widget)) return edit->text();
  if (const auto* edit = qobject_cast<const QPlainTextEdit*>(&widget)) return edit->toPlainText();
  QStringList below;
  for (const auto* label : widget.findChildren<QLabel*>()) {
    if (is_seen(*label) && !label->text().isEmpty()) below += label->text();
  }
  return below.join(u'\n');
}

QJsonObject described(const QWidget& widget) {
  return {{u"class"_s, QString::fromLatin1(widget.metaObject()->className())},
          {u"name"_s, widget.objectName()},
          {u"accessible"_s, widget.accessibleName()},
          {u"text"_s, text_of(widget)},
          {u"is_enabled"_s, widget.isEnabled()},
          {u"has_focus"_s, widget.hasFocus()},
          {u"rect"_s, rect_on_screen(widget, widget.rect())}};
}

QJsonArray seen_widgets(const QString& name) {
  QJsonArray found;
  for (const QWidget* widget : QApplication::allWidgets()) {
    if (is_seen(*widget) && (widget->objectName() == name || widget->accessibleName() == name)) {
      found.append(described(*widget));
    }
  }
  return found;
}

QJsonArray seen_buttons() {
  QJsonArray buttons;
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    if (button != nullptr && is_seen(*button)) buttons.append(described(*button));
  }
  return buttons;
}

template <class Widget>
const Widget* seen(const QString& name) {
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* match = qobject_cast<const Widget*>(widget);
    if (match != nullptr && is_seen(*match) && match->objectName() == name) return match;
  }
  return nullptr;
}

QJsonArray seen_windows() {
  QJsonArray windows;
  for (const QWidget* window : QApplication::topLevelWidgets()) {
    if (!window->isVisible()) continue;
    QJsonObject json = described(*window);
    json[u"title"_s] = window->windowTitle();
    json[u"x_window"_s] = QString::number(window->winId());
    json[u"is_active"_s] = window->isActiveWindow();
    json[u"is_popup"_s] = window->windowType() == Qt::Popup || window->windowType() == Qt::ToolTip;
    windows.append(json);
  }
  return windows;
}

// Everything that can be read on the screen, a piece a line.
QJsonArray seen_texts() {
  QJsonArray texts;
  for (const QWidget* widget : QApplication::allWidgets()) {
    const bool is_leaf = qobject_cast<const QLabel*>(widget) != nullptr ||
                         qobject_cast<const StateLabel*>(widget) != nullptr ||
                         qobject_cast<const QAbstractButton*>(widget) != nullptr ||
                         qobject_cast<const QLineEdit*>(widget) != nullptr ||
                         qobject_cast<const QPlainTextEdit*>(widget) != nullptr;
    if (is_leaf && is_seen(*widget) && !text_of(*widget).isEmpty()) texts.append(text_of(*widget));
  }
  return texts;
}

// Rows that are in sight, each a list of cells by column title.
QJsonArray seen_rows(const QString& name) {
  const auto* view = seen<QTableView>(name);
  QJsonArray rows;
  if (view == nullptr) return rows;
  const QAbstractItemModel& model = *view->model();
  for (int row = 0; row < model.rowCount(); ++row) {
    const QRect place = view->visualRect(model.index(row, 0));
    if (!view->viewport()->rect().intersects(place)) continue;
    QJsonObject cells;
    for (int column = 0; column < model.columnCount(); ++column) {
      if (view->isColumnHidden(column)) continue;
      const QString title = model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      cells[title] = model.index(row, column).data().toString();
    }
    rows.append(
        QJsonObject{{u"cells"_s, cells}, {u"rect"_s, rect_on_screen(*view->viewport(), place)}});
  }
  return rows;
}

QJsonArray seen_tabs() {
  QJsonArray tabs;
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* bar = qobject_cast<const QTabBar*>(widget);
    if (bar == nullptr || !is_seen(*bar)) continue;
    for (int tab = 0; tab < bar->count(); ++tab) {
      tabs.append(QJsonObject{{u"text"_s, bar->tabText(tab)},
                              {u"is_current"_s, tab == bar->currentIndex()},
                              {u"rect"_s, rect_on_screen(*bar, bar->tabRect(tab))}});
    }
  }
  return tabs;
}

QJsonArray seen_actions() {
  QJsonArray actions;
  for (const QWidget* widget : QApplication::topLevelWidgets()) {
    const auto* menu = qobject_cast<const QMenu*>(widget);
    if (menu == nullptr || !menu->isVisible()) continue;
    for (QAction* action : menu->actions()) {
      actions.append(QJsonObject{{u"text"_s, action->text()},
                                 {u"is_enabled"_s, action->isEnabled()},
                                 {u"rect"_s, rect_on_screen(*menu, menu->actionGeometry(action))}});
    }
  }
  return actions;
}

QJsonArray seen_charts() {
  QJsonArray charts;
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* chart = qobject_cast<const Chart*>(widget);
    if (chart == nullptr || !is_seen(*chart)) continue;
    QJsonObject json = described(*chart);
    json[u"curves"_s] = static_cast<int>(chart->curves().size());
    json[u"size"_s] = QJsonArray{chart->width(), chart->height()};
    if (const auto range = chart->shown_range())
      json[u"range"_s] = QJsonArray{range->from, range->to};
    charts.append(json);
  }
  return charts;
}

QJsonArray curves_of(const QString& name) {
  QJsonArray curves;
  const auto* chart = seen<Chart>(name);
  if (chart == nullptr) return curves;
  for (const Curve& curve : chart->curves()) {
    curves.append(QJsonObject{{u"name"_s, curve.name},
                              {u"is_strong"_s, curve.is_strong},
                              {u"points"_s, static_cast<int>(curve.points.size())}});
  }
  return curves;
}

// Of every curve of the chart, each place that is drawn; its numbers are those that a person may
// read under the crosshair.
QJsonArray points_of(const QString& name) {
  QJsonArray curves;
  const auto* chart = seen<Chart>(name);
  if (chart == nullptr) return curves;
  for (const Curve& curve : chart->curves()) {
    QJsonArray points;
    for (const CurvePoint& point : curve.points) {
      points.append(QJsonArray{point.x, point.value, static_cast<double>(point.count)});
    }
    curves.append(QJsonObject{{u"name"_s, curve.name}, {u"points"_s, points}});
  }
  return curves;
}

QJsonArray marks_of(const QString& name) {
  QJsonArray marks;
  const auto* editor = seen<YamlEditor>(name);
  if (editor == nullptr) return marks;
  for (const YamlEditor::Mark& mark : editor->marks()) {
    marks.append(QJsonObject{{u"line"_s, mark.line}, {u"text"_s, mark.text}});
  }
  return marks;
}

// Lines of the log in sight.
QJsonArray seen_lines() {
  QJsonArray lines;
  for (QWidget* widget : QApplication::allWidgets()) {
    auto* panel = qobject_cast<LogPanel*>(widget);
    if (panel == nullptr || !is_seen(*panel)) continue;
    const std::int64_t top = panel->view().top_row();
    const std::int64_t end = std::min(panel->model().rows(), top + lines_max);
    for (std::int64_t row = top; row < end; ++row) lines.append(panel->view().row_text(row));
  }
  return lines;
}

QJsonArray waits_of(const Handled& handled) {
  QJsonArray waits;
  for (const Wait& wait : handled.waits) {
    waits.append(QJsonObject{{u"function"_s, QString::fromStdString(wait.function)},
                             {u"library"_s, QString::fromStdString(wait.library)},
                             {u"ms"_s, wait.ms},
                             {u"is_lock"_s, wait.is_lock}});
  }
  return waits;
}

QJsonArray handlers(const std::vector<Handled>& slow) {
  QJsonArray list;
  for (const Handled& each : slow) {
    list.append(QJsonObject{{u"receiver"_s, each.receiver},
                            {u"event"_s, each.event},
                            {u"cpu_ms"_s, each.cpu_ms},
                            {u"wall_ms"_s, each.wall_ms},
                            {u"waits"_s, waits_of(each)}});
  }
  return list;
}

bool save_screen(const QString& path) {
  const QWidget* window = QApplication::activeWindow();
  if (window == nullptr && !QApplication::topLevelWidgets().isEmpty()) {
    window = QApplication::topLevelWidgets().front();
  }
  return window != nullptr && const_cast<QWidget*>(window)->window()->grab().save(path);
}

}  // namespace

Probe::Probe(WatchedApplication& application, const QString& socket_path)
    : application_(application) {
  QLocalServer::removeServer(socket_path);
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&server_, &QLocalServer::newConnection, this, &Probe::take_connection);
  server_.listen(socket_path);
}

void Probe::take_connection() {
  QLocalSocket* socket = server_.nextPendingConnection();
  connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
  connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
    application_.disregard_this_handler();
    while (socket->canReadLine()) {
      const QJsonObject request = QJsonDocument::fromJson(socket->readLine()).object();
      socket->write(QJsonDocument(answer(request)).toJson(QJsonDocument::Compact) + '\n');
    }
  });
}

QJsonObject Probe::answer(const QJsonObject& request) const {
  const QString ask = request[u"ask"_s].toString();
  const QString name = request[u"name"_s].toString();
  if (ask == u"find"_s) return {{u"found"_s, seen_widgets(name)}};
  if (ask == u"windows"_s) return {{u"found"_s, seen_windows()}};
  if (ask == u"texts"_s) return {{u"found"_s, seen_texts()}};
  if (ask == u"rows"_s) return {{u"found"_s, seen_rows(name)}};
  if (ask == u"lines"_s) return {{u"found"_s, seen_lines()}};
  if (ask == u"buttons"_s) return {{u"found"_s, seen_buttons()}};
  if (ask == u"tabs"_s) return {{u"found"_s, seen_tabs()}};
  if (ask == u"actions"_s) return {{u"found"_s, seen_actions()}};
  if (ask == u"curves"_s) return {{u"found"_s, curves_of(name)}};
  if (ask == u"points"_s) return {{u"found"_s, points_of(name)}};
  if (ask == u"charts"_s) return {{u"found"_s, seen_charts()}};
  if (ask == u"marks"_s) return {{u"found"_s, marks_of(name)}};
  if (ask == u"save_screen"_s) return {{u"found"_s, save_screen(name)}};
  if (ask == u"slow"_s) {
    return {{u"found"_s, handlers(application_.slow())},
            {u"handled"_s, static_cast<double>(application_.count())}};
  }
  return {{u"error"_s, u"there is no question "_s + ask}};
}

}  // namespace dt::gui
