// The crosshair: a line at x, a dot on every curve, and a box with the values, largest first. It is
// painted over the kept picture, and only where it was and where it is now.
#include <QDateTime>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "gui/data/format.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

constexpr double row_height = 18;
constexpr double padding = 8;
constexpr double reach = 24;  // pixels beyond a curve's end at which it still has a value
constexpr int rows_max = 12;
constexpr std::size_t dots_max = 24;  // of more curves only those in the box have a dot

bool is_larger(double a, double b) {
  if (std::isnan(b)) return !std::isnan(a);
  return a > b;  // false for NaN: it comes last
}

}  // namespace

std::vector<Chart::Private::CursorRow> Chart::Private::rows_at(double x) const {
  std::vector<CursorRow> rows;
  const double beyond =
      frame.plot.width() > 0 ? reach * (frame.x.to - frame.x.from) / frame.plot.width() : 0;
  for (const std::size_t i : visible()) {
    const auto& points = curves[i].points;
    const auto point = nearest_point(points, x);
    if (!point || x < points.front().x - beyond || x > points.back().x + beyond) continue;
    const auto& smooth = drawn[i].smooth;
    const bool has_smooth = !smooth.empty() && std::isfinite(points[*point].value);
    rows.push_back({i, *point, has_smooth ? smooth[*point] : points[*point].value});
  }
  return rows;
}

// The nearest place that has a point.
std::optional<double> Chart::Private::snapped(double x) const {
  std::optional<double> best;
  for (const CursorRow& row : rows_at(x)) {
    const double there = curves[row.curve].points[row.point].x;
    if (there < frame.x.from || there > frame.x.to) continue;
    if (!best || std::abs(there - x) < std::abs(*best - x)) best = there;
  }
  return best;
}

void Chart::Private::move_cursor(std::optional<double> x, bool from_user) {
  if (is_pinned) return;
  if (from_user && x) x = snapped(*x);
  const bool same = cursor == x;
  cursor = x;
  update_overlay();
  if (from_user && !same) Q_EMIT chart.cursor_moved(cursor);
}

void Chart::Private::pin(bool on) {
  if (on && !cursor) return;
  if (is_pinned == on) return;
  is_pinned = on;
  if (!on && !is_hovered) cursor.reset();
  update_overlay();
  Q_EMIT chart.pinned(on ? cursor : std::nullopt);
}

std::optional<std::size_t> Chart::Private::nearest_row(const std::vector<CursorRow>& rows) const {
  std::optional<std::size_t> best;
  double distance = 40;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i].value)) continue;
    const double away = std::abs(frame.y_to_pixel(rows[i].value) - pointer.y());
    if (away >= distance) continue;
    distance = away;
    best = i;
  }
  return best;
}

// All rows, or those around the one the pointer is on.
std::vector<Chart::Private::CursorRow> Chart::Private::box_rows(std::vector<CursorRow> rows,
                                                                int most) const {
  std::stable_sort(rows.begin(), rows.end(), [](const CursorRow& a, const CursorRow& b) {
    return is_larger(a.value, b.value);
  });
  const auto count = static_cast<int>(rows.size());
  if (count <= most) return rows;
  const int middle = static_cast<int>(nearest_row(rows).value_or(0));
  const int first = std::clamp(middle - most / 2, 0, count - most);
  return {rows.begin() + first, rows.begin() + first + most};
}

void Chart::Private::paint_overlay(QPainter& painter) {
  painted_overlay = {};
  painter.setFont(chart.font());
  painter.setRenderHint(QPainter::Antialiasing, true);
  logs_box = {};
  if (dragging == Drag::zooming) {
    const double left = std::clamp(drag_from.x(), frame.plot.left(), frame.plot.right());
    const double right = std::clamp(pointer.x(), frame.plot.left(), frame.plot.right());
    QColor fill = colors().accent;
    fill.setAlphaF(0.18F);
    const QRectF chosen =
        QRectF(QPointF(left, frame.plot.top()), QPointF(right, frame.plot.bottom())).normalized();
    painter.fillRect(chosen, fill);
    painter.setPen(QPen(colors().accent, 1));
    painter.drawLine(chosen.topLeft(), chosen.bottomLeft());
    painter.drawLine(chosen.topRight(), chosen.bottomRight());
    painted_overlay += chosen.toAlignedRect().adjusted(-2, -2, 2, 2);
  } else if (cursor && *cursor >= frame.x.from && *cursor <= frame.x.to && !curves.empty()) {
    paint_cursor(painter);
  }
}

void Chart::Private::paint_cursor(QPainter& painter) {
  const ChartColors color = colors();
  const double x = std::floor(frame.x_to_pixel(*cursor)) + 0.5;
  painter.setPen(QPen(color.dim, 1, is_pinned ? Qt::SolidLine : Qt::DashLine));
  painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
  painted_overlay +=
      QRectF(x - 7, frame.plot.top() - 7, 14, frame.plot.height() + 14).toAlignedRect();
  const auto rows = rows_at(*cursor);
  const auto dotted = rows.size() > dots_max ? box_rows(rows, rows_max) : rows;
  for (const CursorRow& row : dotted) {
    if (!std::isfinite(row.value) || (log_y && row.value <= 0)) continue;
    const QPointF place(frame.x_to_pixel(curves[row.curve].points[row.point].x),
                        frame.y_to_pixel(row.value));
    if (!frame.plot.adjusted(-1, -4, 1, 4).contains(place)) continue;
    painter.setPen(QPen(color.back, 1.5));
    painter.setBrush(curves[row.curve].color);
    painter.drawEllipse(place, 3.6, 3.6);
    painted_overlay += QRectF(place.x() - 6, place.y() - 6, 12, 12).toAlignedRect();
  }
  if ((is_hovered || is_pinned) && !rows.empty()) paint_box(painter, rows);
}

QRectF Chart::Private::box_place(QSizeF size) const {
  const double x = frame.x_to_pixel(*cursor);
  const bool fits_right = x + 14 + size.width() <= std::max(names_at, chart.width() * 0.6);
  const double left = fits_right ? x + 14 : std::max(2.0, x - 14 - size.width());
  const double top =
      std::clamp(frame.plot.top() + 4, 2.0, std::max(2.0, chart.height() - size.height() - 2));
  return {QPointF(std::floor(left), std::floor(top)), size};
}

void Chart::Private::paint_box(QPainter& painter, const std::vector<CursorRow>& all) {
  const ChartColors color = colors();
  const QFontMetricsF metrics(painter.font());
  const int fit = static_cast<int>((chart.height() - 4 * padding) / row_height) - 2;
  const auto rows = box_rows(all, std::clamp(fit, 1, rows_max));
  const auto nearest = nearest_row(rows);
  const bool has_more = rows.size() < all.size();
  const CurvePoint& place = curves[rows.front().curve].points[rows.front().point];
  QString head = x_text(x_axis, *cursor);
  if (x_axis == XAxis::number && !x_title.isEmpty())
    head = one_line(x_title, 24) + QStringLiteral(" ") + head;
  if (x_axis != XAxis::clock && place.time_ms > 0)
    head += QStringLiteral("  ·  ") + exact_time(place.time_ms);
  double names = 0;
  double values = 0;
  for (const CursorRow& row : rows) {
    names =
        std::max(names, metrics.horizontalAdvance(name_for(metrics, curves[row.curve].name, 220)));
    values = std::max(values, metrics.horizontalAdvance(number(row.value)));
  }
  const double inner = std::max(metrics.horizontalAdvance(head), 22 + names + 16 + values);
  const auto lines =
      static_cast<double>(rows.size()) + 1 + (has_more ? 1 : 0) + (is_pinned ? 1 : 0);
  const QRectF box = box_place({std::ceil(inner + 2 * padding), lines * row_height + 2 * padding});
  painter.setPen(QPen(color.axis, 1));
  painter.setBrush(color.card);
  painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painted_overlay += box.toAlignedRect().adjusted(-1, -1, 1, 1);
  QRectF line(box.left() + padding, box.top() + padding, inner, row_height);
  painter.setPen(color.dim);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, head);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    line.translate(0, row_height);
    const Curve& curve = curves[rows[i].curve];
    QFont font = chart.font();
    font.setBold(nearest == i);
    painter.setFont(font);
    painter.setPen(pen_of(curve, 2));
    painter.drawLine(QPointF(line.left(), line.center().y()),
                     QPointF(line.left() + 14, line.center().y()));
    painter.setPen(color.text);
    painter.drawText(line.adjusted(22, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     name_for(QFontMetricsF(font), curve.name, inner - 22 - values - 12));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, number(rows[i].value));
  }
  painter.setFont(chart.font());
  painter.setPen(color.dim);
  if (has_more) {
    line.translate(0, row_height);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("and %1 more").arg(all.size() - rows.size()));
  }
  if (!is_pinned) return;
  line.translate(0, row_height);
  logs_box = line;
  painter.setPen(chart.palette().color(QPalette::Link));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("Open logs here"));
}

// Generous on purpose: what the box will need is known only when it is painted.
QRegion Chart::Private::overlay_region() const {
  if (dragging == Drag::zooming) return frame.plot.toAlignedRect().adjusted(-2, -2, 2, 2);
  if (!cursor) return {};
  const double x = frame.x_to_pixel(*cursor);
  QRegion region = QRectF(x - 9, 0, 18, chart.height()).toAlignedRect();
  if (is_hovered || is_pinned) {
    region += QRectF(x - 440, 0, 880, chart.height()).toAlignedRect();
  }
  return region;
}

void Chart::Private::update_overlay() { chart.update(painted_overlay + overlay_region()); }

}  // namespace dt::gui
