// The names of curves: at the ends of their lines while they are few, else a legend. A click hides
// or shows, a double click isolates, the wheel scrolls a long legend.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "gui/data/format.h"
#include "gui/widgets/chart_labels.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

constexpr double row_height = 17;
constexpr double swatch = 14;

}  // namespace

QString name_for(const QFontMetricsF& metrics, const QString& name, double width) {
  return metrics.elidedText(one_line(name, 200), Qt::ElideRight, std::max(width, 0.0));
}

void Chart::Private::paint_names(QPainter& painter) {
  const auto curves_named = named();
  if (curves_named.empty()) return;
  if (has_legend()) {
    paint_legend(painter, curves_named);
  } else {
    paint_labels(painter, curves_named);
  }
}

// A hidden curve's name waits at the bottom, so that a click can bring it back.
void Chart::Private::paint_labels(QPainter& painter, const std::vector<std::size_t>& places) {
  std::vector<double> wanted;
  for (const std::size_t i : places) {
    double end = frame.plot.bottom();
    const auto columns = seen_columns(i);
    for (auto column = columns.rbegin(); is_visible(curves[i]) && column != columns.rend();
         ++column) {
      const double value = smoothing > 0 ? column->smooth : column->value;
      if (!std::isfinite(value) || column->x > frame.x.to || (log_y && value <= 0)) continue;
      end = std::clamp(frame.y_to_pixel(value), frame.plot.top(), frame.plot.bottom());
      break;
    }
    wanted.push_back(end - row_height / 2);
  }
  const double top = std::max(0.0, frame.plot.top() - row_height / 2);
  const double bottom = std::max(top + row_height, frame.plot.bottom() + row_height / 2);
  const auto tops = pushed_apart(wanted, row_height, top, bottom);
  const double width = painter.window().width() - names_at - 4;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const QRectF box(names_at, tops[n], width, row_height);
    paint_name(painter, box, places[n], is_visible(curves[places[n]]));
    name_boxes.push_back({box, places[n]});
  }
}

void Chart::Private::paint_legend(QPainter& painter, const std::vector<std::size_t>& places) {
  const double width = painter.window().width() - names_at - 4;
  const auto count = static_cast<int>(places.size());
  const int fit = std::max(1, static_cast<int>(frame.plot.height() / row_height));
  const int rows = count > fit ? std::max(1, fit - 1) : count;
  legend_scroll = std::clamp(legend_scroll, 0, count - rows);
  double y = frame.plot.top();
  for (int n = legend_scroll; n < legend_scroll + rows; ++n, y += row_height) {
    const std::size_t curve = places[static_cast<std::size_t>(n)];
    const QRectF box(names_at, y, width, row_height);
    paint_name(painter, box, curve, is_visible(curves[curve]));
    name_boxes.push_back({box, curve});
  }
  if (rows == count) return;
  painter.setPen(colors().dim);
  const QString rest =
      QStringLiteral("%1–%2 of %3").arg(legend_scroll + 1).arg(legend_scroll + rows).arg(count);
  painter.drawText(QRectF(names_at, y, width, row_height), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(painter.font()).elidedText(rest, Qt::ElideRight, width));
}

void Chart::Private::paint_name(QPainter& painter, const QRectF& box, std::size_t curve,
                                bool is_on) {
  const double y = std::floor(box.center().y()) + 0.5;
  painter.setRenderHint(QPainter::Antialiasing, true);
  QPen pen = pen_of(curves[curve], 2);
  if (!is_on) pen.setColor(colors().axis);
  painter.setPen(pen);
  painter.drawLine(QPointF(box.left() + 1, y), QPointF(box.left() + swatch - 1, y));
  painter.setPen(is_on ? colors().text : colors().dim);
  QFont font = chart.font();
  font.setStrikeOut(!is_on);
  painter.setFont(font);
  const double left = swatch + 5;
  painter.drawText(box.adjusted(left, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   name_for(QFontMetricsF(font), curves[curve].name, box.width() - left));
  painter.setFont(chart.font());
}

std::optional<std::size_t> Chart::Private::name_at(QPointF place) const {
  for (const NameBox& name : name_boxes) {
    if (name.box.contains(place)) return name.curve;
  }
  return std::nullopt;
}

bool Chart::Private::scroll_legend(QPointF place, int rows) {
  if (!has_legend() || place.x() < names_at) return false;
  legend_scroll = std::max(0, legend_scroll + rows);
  show_changed();
  return true;
}

}  // namespace dt::gui
