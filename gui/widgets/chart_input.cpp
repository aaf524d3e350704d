// What mouse and keys do to a chart.
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "gui/data/format.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

constexpr double drag_starts_after = 4;  // pixels
constexpr double wheel_notch = 120;

}  // namespace

void Chart::Private::press(QMouseEvent& event) {
  pointer = event.position();
  if (event.button() != Qt::LeftButton && event.button() != Qt::MiddleButton) return;
  const bool pans = space_is_down || event.button() == Qt::MiddleButton;
  dragging = pans ? Drag::panning : Drag::pressed;
  drag_from = pointer;
  drag_range = frame.x;
}

void Chart::Private::drag(QPointF place) {
  pointer = place;
  const bool from_curves = frame.plot.contains(drag_from) && !logs_box.contains(drag_from);
  if (dragging == Drag::pressed && from_curves &&
      std::abs(place.x() - drag_from.x()) > drag_starts_after) {
    dragging = Drag::zooming;
  }
  if (dragging == Drag::zooming) update_overlay();
  if (dragging == Drag::panning) {
    const double moved =
        (drag_from.x() - place.x()) / frame.plot.width() * (drag_range.to - drag_range.from);
    choose_range(ChartRange{drag_range.from + moved, drag_range.to + moved});
  }
  const bool over_curves = frame.plot.adjusted(-6, -6, 6, 6).contains(place);
  if (dragging != Drag::none && dragging != Drag::pressed) return;
  is_hovered = over_curves;
  move_cursor(over_curves ? std::optional(frame.pixel_to_x(place.x())) : std::nullopt, true);
  const bool is_link = name_at(place).has_value() || logs_box.contains(place);
  chart.setCursor(is_link       ? Qt::PointingHandCursor
                  : over_curves ? Qt::CrossCursor
                                : Qt::ArrowCursor);
}

void Chart::Private::release(QPointF place) {
  pointer = place;
  const Drag was = dragging;
  if (was == Drag::zooming) update_overlay();  // while it still counts as a drag
  dragging = Drag::none;
  if (was == Drag::zooming) {
    const double a =
        frame.pixel_to_x(std::clamp(drag_from.x(), frame.plot.left(), frame.plot.right()));
    const double b = frame.pixel_to_x(std::clamp(place.x(), frame.plot.left(), frame.plot.right()));
    if (std::abs(place.x() - drag_from.x()) > drag_starts_after) {
      choose_range(ChartRange{std::min(a, b), std::max(a, b)});
    }
  } else if (was == Drag::pressed) {
    click(place);
  }
}

void Chart::Private::click(QPointF place) {
  if (logs_box.contains(place)) return open_logs_here();
  if (const auto curve = name_at(place)) {
    chart.set_hidden(curves[*curve].key, is_visible(curves[*curve]));
    return;
  }
  if (is_pinned) {
    pin(false);
    drag(place);
  } else if (frame.plot.contains(place)) {
    pin(true);
  }
}

// The first click of the two hid the curve or pinned the place: both are taken back.
void Chart::Private::double_click(QPointF place) {
  dragging = Drag::none;
  if (const auto curve = name_at(place)) {
    const std::int64_t key = curves[*curve].key;
    hidden.erase(key);
    chart.isolate(visible().size() == 1 && isolated == key ? std::nullopt : std::optional(key));
    return;
  }
  pin(false);
  choose_range(std::nullopt);
}

void Chart::Private::pan(double pixels) {
  if (!range) return;
  const double moved = pixels / frame.plot.width() * (frame.x.to - frame.x.from);
  const ChartRange all = full_x();
  const double span = range->to - range->from;
  const double from = std::clamp(range->from + moved, all.from, std::max(all.from, all.to - span));
  choose_range(ChartRange{from, from + span});
}

void Chart::Private::zoom(double factor, double around_pixel) {
  const double x =
      frame.pixel_to_x(std::clamp(around_pixel, frame.plot.left(), frame.plot.right()));
  const ChartRange all = full_x();
  const ChartRange now = shown_x();
  choose_range(ChartRange{std::max(all.from, x - (x - now.from) * factor),
                          std::min(all.to, x + (now.to - x) * factor)});
}

bool Chart::Private::key(int pressed) {
  switch (pressed) {
    case Qt::Key_L: chart.set_log_y(!log_y); return true;
    case Qt::Key_S: chart.set_smoothing(smoothing > 0 ? 0 : last_smoothing); return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(0.5, frame.plot.center().x()); return true;
    case Qt::Key_Minus: zoom(2, frame.plot.center().x()); return true;
    case Qt::Key_Left: pan(-frame.plot.width() / 8); return range.has_value();
    case Qt::Key_Right: pan(frame.plot.width() / 8); return range.has_value();
    case Qt::Key_0:
    case Qt::Key_Home: choose_range(std::nullopt); return true;
    case Qt::Key_Escape:
      if (!is_pinned) return false;
      pin(false);
      return true;
    default: return false;
  }
}

void Chart::Private::open_logs_here() {
  if (!cursor) return;
  const auto rows = rows_at(*cursor);
  if (rows.empty()) return;
  const CursorRow& row = rows[nearest_row(rows).value_or(rows.size() - 1)];
  const std::int64_t time_ms = curves[row.curve].points[row.point].time_ms;
  Q_EMIT chart.place_pinned(*cursor, time_ms);
  Q_EMIT chart.logs_wanted(curves[row.curve].link, time_ms);
}

void Chart::Private::fill_curve_menu(QMenu& menu, std::size_t curve) {
  const Curve& meant = curves[curve];
  const std::int64_t key = meant.key;
  const bool is_shown = is_visible(meant);
  if (meant.link.kind != Link::Kind::none) {
    const Link link = meant.link;
    menu.addAction(QStringLiteral("Open %1").arg(one_line(meant.name, 40)), &chart,
                   [this, link] { Q_EMIT chart.curve_opened(link); });
  }
  menu.addAction(is_shown ? QStringLiteral("Hide") : QStringLiteral("Show"), &chart,
                 [this, key, is_shown] { chart.set_hidden(key, is_shown); });
  menu.addAction(QStringLiteral("Show alone"), &chart, [this, key] { chart.isolate(key); });
  menu.addSeparator();
}

void Chart::Private::fill_menu(QMenu& menu) {
  const auto add = [&](const QString& text, auto then) {
    return menu.addAction(text, &chart, then);
  };
  if (!hidden.empty() || isolated) {
    add(QStringLiteral("Show all curves"), [this] { chart.isolate(std::nullopt); });
  }
  add(QStringLiteral("Show the whole range"), [this] {
    choose_range(std::nullopt);
  })->setEnabled(range.has_value());
  QAction* log = add(QStringLiteral("Logarithmic axis\tL"), [this] { key(Qt::Key_L); });
  log->setCheckable(true);
  log->setChecked(log_y);
  QAction* smooth = add(QStringLiteral("Smooth\tS"), [this] { key(Qt::Key_S); });
  smooth->setCheckable(true);
  smooth->setChecked(smoothing > 0);
  if (cursor) add(QStringLiteral("Open logs here"), [this] { open_logs_here(); });
  menu.addSeparator();
  add(QStringLiteral("Copy picture"), [this] { copy_picture(); });
  add(QStringLiteral("Save as PNG…"),
      [this] { choose_file(QStringLiteral("png"), QStringLiteral("PNG picture (*.png)")); });
  add(QStringLiteral("Save as SVG…"),
      [this] { choose_file(QStringLiteral("svg"), QStringLiteral("SVG drawing (*.svg)")); });
  add(QStringLiteral("Save points as CSV…"),
      [this] { choose_file(QStringLiteral("csv"), QStringLiteral("CSV table (*.csv)")); });
}

void Chart::mousePressEvent(QMouseEvent* event) { private_->press(*event); }

void Chart::mouseMoveEvent(QMouseEvent* event) { private_->drag(event->position()); }

void Chart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::RightButton) private_->release(event->position());
}

void Chart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) private_->double_click(event->position());
}

void Chart::leaveEvent(QEvent*) {
  private_->is_hovered = false;
  private_->move_cursor(std::nullopt, true);
}

// Without a zoom there is nothing to pan, so the wheel scrolls the page.
void Chart::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  const double notches = (turned.x() != 0 ? turned.x() : turned.y()) / wheel_notch;
  if (event->modifiers() & Qt::ControlModifier) {
    private_->zoom(std::pow(0.8, notches), event->position().x());
  } else if (private_->scroll_legend(event->position(), notches > 0 ? -3 : 3)) {
  } else if (private_->range) {
    private_->pan(-notches * 60);
  } else {
    return event->ignore();
  }
  event->accept();
}

void Chart::keyPressEvent(QKeyEvent* event) {
  const bool is_plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
  if (event->key() == Qt::Key_Space) {
    private_->space_is_down = true;
  } else if (!is_plain || !private_->key(event->key())) {
    QWidget::keyPressEvent(event);
  }
}

void Chart::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) private_->space_is_down = false;
  QWidget::keyReleaseEvent(event);
}

void Chart::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (const auto curve = private_->name_at(event->pos())) private_->fill_curve_menu(*menu, *curve);
  private_->fill_menu(*menu);
  menu->popup(event->globalPos());
}

}  // namespace dt::gui
