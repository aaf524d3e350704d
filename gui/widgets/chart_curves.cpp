// The curves: envelopes, lines and marks, by our own raster (a hundred curves within a frame), or
// as paths for an exported drawing.
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

using Piece = std::vector<PixelPoint>;

constexpr double envelope_alpha = 0.28;
constexpr double faint_alpha = 0.28;
constexpr double raw_alpha = 0.3;       // under its smoothed line
constexpr std::size_t few_curves = 12;  // so many are drawn a little thicker
constexpr double dot_distance = 14;     // points this far apart are shown as dots too

std::uint32_t rgb_of(const QColor& color) { return color.rgb() & 0xFFFFFF; }

std::span<const double> pattern_of(Qt::PenStyle dash) {
  static constexpr std::array<double, 2> dashes{7, 4};
  static constexpr std::array<double, 2> dots{2, 3.5};
  static constexpr std::array<double, 4> both{8, 3.5, 2, 3.5};
  static constexpr std::array<double, 6> twice{8, 3, 2, 3, 2, 3};
  switch (dash) {
    case Qt::DashLine: return dashes;
    case Qt::DotLine: return dots;
    case Qt::DashDotLine: return both;
    case Qt::DashDotDotLine: return twice;
    default: return {};
  }
}

PixelPoint between(PixelPoint a, PixelPoint b, double share) {
  return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

// The line cut into its dashes, by length along the line.
std::vector<Piece> dashes_of(const Piece& line, std::span<const double> pattern, double scale) {
  std::vector<Piece> dashes;
  if (line.empty()) return dashes;
  std::size_t place = 0;
  double left = pattern[0] * scale;
  Piece dash{line[0]};
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    PixelPoint at = line[i];
    double length = std::hypot(line[i + 1].x - at.x, line[i + 1].y - at.y);
    if (!(length < 1e5)) return {line};  // far outside: a dash there is never seen
    while (length > left) {
      at = between(at, line[i + 1], left / length);
      length -= left;
      if (place % 2 == 0) {
        dash.push_back(at);
        dashes.push_back(std::move(dash));
      }
      dash = {at};
      place = (place + 1) % pattern.size();
      left = pattern[place] * scale;
    }
    left -= length;
    dash.push_back(line[i + 1]);
  }
  if (place % 2 == 0) dashes.push_back(std::move(dash));
  return dashes;
}

void raster_line(LineRaster& raster, const std::vector<Piece>& pieces, Qt::PenStyle dash,
                 double width, double pixel_ratio) {
  const auto pattern = pattern_of(dash);
  for (const Piece& piece : pieces) {
    if (pattern.empty()) {
      raster.line(piece, width);
      continue;
    }
    for (const Piece& part : dashes_of(piece, pattern, pixel_ratio)) raster.line(part, width);
  }
}

// A point that no line leads to or from is a dot, and so are all when there are few.
void raster_dots(LineRaster& raster, const std::vector<Piece>& pieces, double pixel_ratio) {
  const double distance = dot_distance * pixel_ratio;
  const double radius = 2.2 * pixel_ratio;
  for (const Piece& piece : pieces) {
    const double width = piece.back().x - piece.front().x;
    if (piece.size() > 1 && width / static_cast<double>(piece.size() - 1) < distance) continue;
    for (const PixelPoint& point : piece) raster.dot(point, radius);
  }
}

}  // namespace

QPen pen_of(const Curve& curve, double width) {
  QPen pen(curve.color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  const auto pattern = pattern_of(curve.dash);
  if (pattern.empty()) return pen;
  QList<qreal> scaled;  // Qt counts in line widths, round caps included
  for (const double part : pattern) scaled.push_back(part / width);
  pen.setCapStyle(Qt::FlatCap);
  pen.setDashPattern(scaled);
  return pen;
}

std::vector<Piece> Chart::Private::pieces_of(std::size_t curve, bool smooth,
                                             double pixel_ratio) const {
  std::vector<Piece> pieces;
  bool is_broken = true;
  for (const CurveColumn& column : seen_columns(curve)) {
    const double value = smooth ? column.smooth : column.value;
    const bool is_shown = std::isfinite(value) && !(log_y && value <= 0);
    if (is_shown && is_broken) pieces.emplace_back();
    is_broken = !is_shown;
    if (!is_shown) continue;
    pieces.back().push_back({(frame.x_to_pixel(column.x) - frame.plot.left()) * pixel_ratio,
                             (frame.y_to_pixel(value) - frame.plot.top()) * pixel_ratio});
  }
  return pieces;
}

// Between two buckets the envelope goes straight, so it has no gaps where they are wider than
// pixels.
void Chart::Private::raster_envelope(LineRaster& raster, std::size_t curve, double pixel_ratio) {
  const auto x_of = [&](const CurveColumn& c) {
    return (frame.x_to_pixel(c.x) - frame.plot.left()) * pixel_ratio;
  };
  const auto y_of = [&](double value) {
    return std::clamp((frame.y_to_pixel(value) - frame.plot.top()) * pixel_ratio, -10.0,
                      raster.height() + 10.0);
  };
  const auto has_extent = [](const CurveColumn& c) { return c.max > c.min; };
  const auto columns = seen_columns(curve);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!has_extent(columns[i])) continue;
    const double x = x_of(columns[i]);
    const double top = y_of(columns[i].max);
    const double bottom = y_of(columns[i].min);
    const int here = static_cast<int>(std::floor(x));
    raster.bar(here, top, bottom);
    if (i + 1 == columns.size() || !has_extent(columns[i + 1])) continue;
    const double next_x = x_of(columns[i + 1]);
    const double next_top = y_of(columns[i + 1].max);
    const double next_bottom = y_of(columns[i + 1].min);
    const int last = std::min(static_cast<int>(std::floor(next_x)), raster.width());
    for (int pixel = std::max(here + 1, 0); pixel < last; ++pixel) {
      const double share = std::clamp((pixel + 0.5 - x) / (next_x - x), 0.0, 1.0);
      raster.bar(pixel, std::lerp(top, next_top, share), std::lerp(bottom, next_bottom, share));
    }
  }
}

void Chart::Private::raster_curve(LineRaster& raster, std::size_t curve, double pixel_ratio,
                                  bool is_one_of_few) {
  const Curve& shown = curves[curve];
  const std::uint32_t rgb = rgb_of(shown.color);
  const bool is_smoothed = smoothing > 0;
  const double alpha = shown.is_strong ? 1.0 : faint_alpha;
  const double width = (shown.is_strong && is_one_of_few ? 1.7 : 1.2) * pixel_ratio;
  raster_envelope(raster, curve, pixel_ratio);
  raster.blend(rgb, alpha * envelope_alpha * (is_smoothed ? 0.6 : 1));
  const auto raw = pieces_of(curve, false, pixel_ratio);
  if (is_smoothed) {
    raster_line(raster, raw, shown.dash, 1.2 * pixel_ratio, pixel_ratio);
    raster.blend(rgb, alpha * raw_alpha);
    raster_line(raster, pieces_of(curve, true, pixel_ratio), shown.dash, width, pixel_ratio);
  } else {
    raster_line(raster, raw, shown.dash, width, pixel_ratio);
    raster_dots(raster, raw, pixel_ratio);
  }
  raster.blend(rgb, alpha);
}

void Chart::Private::paint_curves(QPainter& painter, double pixel_ratio) {
  const int width = static_cast<int>(std::lround(frame.plot.width() * pixel_ratio));
  const int height = static_cast<int>(std::lround(frame.plot.height() * pixel_ratio));
  if (width < 1 || height < 1) return;
  LineRaster raster(width, height);
  const auto shown = visible();
  for (const std::size_t i : shown)
    raster_curve(raster, i, pixel_ratio, shown.size() <= few_curves);
  QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
  raster.copy_to(reinterpret_cast<std::uint32_t*>(image.bits()),
                 static_cast<int>(image.bytesPerLine() / 4));
  image.setDevicePixelRatio(pixel_ratio);
  painter.drawImage(frame.plot.topLeft(), image);
}

void Chart::Private::paint_vectors(QPainter& painter) {
  painter.save();
  painter.setClipRect(frame.plot);
  painter.translate(frame.plot.topLeft());
  for (const std::size_t i : visible()) {
    const bool is_smoothed = smoothing > 0;
    for (const bool smooth : {false, true}) {
      if (smooth && !is_smoothed) continue;
      const double alpha = curves[i].is_strong ? 1.0 : faint_alpha;
      painter.setOpacity(is_smoothed && !smooth ? alpha * raw_alpha : alpha);
      painter.setPen(pen_of(curves[i], 1.5));
      for (const Piece& piece : pieces_of(i, smooth, 1)) {
        QPolygonF line;
        for (const PixelPoint& point : piece) line << QPointF(point.x, point.y);
        painter.drawPolyline(line);
      }
    }
  }
  painter.restore();
}

// What no axis can show stands on its edge: ▲ above for +∞, ▼ below for −∞, ◆ below for NaN.
void Chart::Private::paint_marks(QPainter& painter) {
  const QRectF& plot = frame.plot;
  const auto shape = [&](double x, double y, std::initializer_list<QPointF> corners) {
    QPolygonF polygon;
    for (const QPointF& corner : corners) polygon << QPointF(x, y) + corner;
    painter.drawPolygon(polygon);
  };
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(colors().back, 1));
  for (const std::size_t i : visible()) {
    painter.setBrush(curves[i].color);
    double drawn_to = -1e9;  // marks of neighbouring columns would be one smear
    for (const CurveColumn& column : seen_columns(i)) {
      if (column.not_a_number + column.above + column.below == 0) continue;
      const double x = frame.x_to_pixel(column.x);
      if (x < plot.left() - 0.5 || x > plot.right() + 0.5 || x < drawn_to + 3) continue;
      drawn_to = x;
      if (column.above > 0) shape(x, plot.top(), {{0, 0}, {5, 8}, {-5, 8}});
      if (column.below > 0) shape(x, plot.bottom(), {{0, 0}, {5, -8}, {-5, -8}});
      if (column.not_a_number > 0) {
        shape(x, plot.bottom() - 5, {{0, -5}, {5, 0}, {0, 5}, {-5, 0}});
      }
    }
  }
}

}  // namespace dt::gui
