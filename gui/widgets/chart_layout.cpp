// Where everything stands: margins from what is written in them, ranges from what is shown.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/data/format.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

constexpr std::size_t labels_max = 8;  // more names stand in a legend
constexpr std::size_t many_curves = 24;
constexpr double head_height = 26;
constexpr double margin_top = 12;
constexpr double margin_bottom = 26;
constexpr double margin_right = 16;
constexpr double swatch_width = 22;

// Extremes of what is looked at; `from > to` while nothing was.
struct Extent {
  double from = std::numeric_limits<double>::infinity();
  double to = -std::numeric_limits<double>::infinity();
  void add(double value) {
    from = std::min(from, value);
    to = std::max(to, value);
  }
  bool empty() const { return from > to; }
};

ChartRange padded(double from, double to, double share) {
  if (from == to) {
    const double room = from == 0 ? 1 : std::abs(from) * 0.1;
    return {from - room, to + room};
  }
  const double room = (to - from) * share;
  return {from - room, to + room};
}

bool holds(ChartRange outer, ChartRange inner) {
  return outer.from <= inner.from && inner.to <= outer.to;
}

}  // namespace

ChartRange Chart::Private::full_x() const {
  if (full_range && full_range->to > full_range->from) return *full_range;
  Extent extent;
  for (const Curve& curve : curves) {
    if (curve.points.empty()) continue;
    extent.add(curve.points.front().x);
    extent.add(curve.points.back().x);
  }
  if (extent.empty()) return {0, 1};
  return extent.from == extent.to ? ChartRange{extent.from - 0.5, extent.to + 0.5}
                                  : ChartRange{extent.from, extent.to};
}

std::vector<std::size_t> Chart::Private::named() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].is_strong && !curves[i].name.isEmpty() && !curves[i].points.empty()) {
      places.push_back(i);
    }
  }
  return places;
}

bool Chart::Private::has_legend() const { return named().size() > labels_max; }

double Chart::Private::names_width() const {
  const QFontMetricsF metrics(chart.font());
  double widest = 0;
  for (const std::size_t i : named()) {
    widest = std::max(widest, metrics.horizontalAdvance(one_line(curves[i].name, 60)));
  }
  return widest == 0 ? 0 : widest + swatch_width + 8;
}

// A cached reduction serves as long as the scale is the same and the range lies within what it
// covers, which is half a width more on each side, so panning costs little.
void Chart::Private::fill_columns(double pixel_ratio) {
  const double span = frame.x.to - frame.x.from;
  const auto shown = visible();
  const double pixels = shown.size() > many_curves ? 2 : 1;  // a column; lines look the same
  const double width = span / std::max(1.0, frame.plot.width() * pixel_ratio) * pixels;
  const ChartRange wanted{frame.x.from - span / 2, frame.x.to + span / 2};
  for (const std::size_t i : shown) {
    Drawn& kept = drawn[i];
    const bool same_scale = std::abs(kept.column_width - width) <= width * 1e-6;
    if (same_scale && holds(kept.covered, frame.x)) continue;
    kept.columns = columns_of(curves[i].points, kept.smooth, wanted, width);
    kept.covered = wanted;
    kept.column_width = width;
    ++work.reductions;
  }
}

std::span<const CurveColumn> Chart::Private::seen_columns(std::size_t curve) const {
  const auto& columns = drawn[curve].columns;
  auto first = std::lower_bound(columns.begin(), columns.end(), frame.x.from,
                                [](const CurveColumn& c, double x) { return c.x < x; });
  auto last = std::upper_bound(first, columns.end(), frame.x.to,
                               [](double x, const CurveColumn& c) { return x < c.x; });
  if (first != columns.begin()) --first;
  if (last != columns.end()) ++last;
  return {first, last};
}

ChartRange Chart::Private::y_range() {
  Extent inside;
  Extent everywhere;  // for a range between two points
  omitted = 0;
  const auto add = [this](Extent& extent, const CurveColumn& column) {
    for (const double value : {column.min, column.max}) {
      if (!log_y) extent.add(value);
      if (log_y && value > 0) extent.add(std::log10(value));
    }
  };
  for (const std::size_t i : visible()) {
    for (const CurveColumn& column : seen_columns(i)) {
      if (std::isnan(column.value)) continue;
      add(everywhere, column);
      if (column.x < frame.x.from || column.x > frame.x.to) continue;
      add(inside, column);
      if (log_y && column.min <= 0) ++omitted;
    }
  }
  const Extent& extent = inside.empty() ? everywhere : inside;
  if (extent.empty()) return {0, 1};
  return padded(extent.from, extent.to, 0.05);
}

void Chart::Private::lay_out(QSizeF size, double pixel_ratio) {
  const QFontMetricsF metrics(chart.font());
  const double top = title.isEmpty() ? margin_top : head_height + 4;
  const double right =
      std::max(margin_right, std::floor(std::min(names_width() + 8, size.width() * 0.34)));
  frame.log_y = log_y;
  frame.x = shown_x();
  for (int round = 0; round < 2; ++round) {  // the second time with the margin that the labels need
    frame.plot = QRectF(left_margin, top, std::max(10.0, size.width() - left_margin - right),
                        std::max(10.0, size.height() - top - margin_bottom));
    fill_columns(pixel_ratio);
    frame.y = y_range();
    const int most = std::max(2, static_cast<int>(frame.plot.height() / 42));
    y_ticks = log_y ? log_ticks(frame.y, most) : number_ticks(frame.y, most);
    double widest = 16;
    for (const Tick& tick : y_ticks)
      widest = std::max(widest, metrics.horizontalAdvance(tick.label));
    const double needed = std::ceil((widest + 14) / 8) * 8;  // in steps, so that it seldom moves
    if (needed == left_margin) break;
    left_margin = needed;
  }
  names_at = frame.plot.right() + 6;
}

}  // namespace dt::gui
