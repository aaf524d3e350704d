// The picture under the crosshair: title, axes, and what is said when there is nothing to draw.
#include <QFontMetricsF>
#include <QPaintEvent>
#include <cmath>

#include "gui/data/format.h"
#include "gui/widgets/chart_private.h"

namespace dt::gui {
namespace {

QColor mixed(const QColor& a, const QColor& b, double share_of_b) {
  const auto mix = [&](int x, int y) {
    return static_cast<int>(std::lround(x + (y - x) * share_of_b));
  };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

// The middle of a device pixel, so that thin lines stay thin.
double crisp(double at) { return std::floor(at) + 0.5; }

}  // namespace

ChartColors Chart::Private::colors() const {
  const QPalette palette = chart.palette();
  const QColor back = palette.color(QPalette::Base);
  const QColor text = palette.color(QPalette::Text);
  return {.back = back,
          .text = text,
          .dim = mixed(text, back, 0.32),
          .grid = mixed(back, text, 0.08),
          .axis = mixed(back, text, 0.28),
          .card = mixed(back, text, back.lightness() < 128 ? 0.09 : 0.0),
          .accent = palette.color(QPalette::Highlight)};
}

void Chart::Private::paint_all(QPainter& painter, QSizeF size, double pixel_ratio,
                               bool as_vectors) {
  painter.setFont(chart.font());
  painter.fillRect(QRectF(QPointF(), size), colors().back);
  lay_out(size, pixel_ratio);
  name_boxes.clear();
  paint_head(painter);
  const auto shown = visible();
  const bool has_points = std::any_of(shown.begin(), shown.end(),
                                      [this](std::size_t i) { return !curves[i].points.empty(); });
  if (has_points) {
    paint_axes(painter);
    if (as_vectors) {
      paint_vectors(painter);
    } else {
      paint_curves(painter, pixel_ratio);
    }
    paint_marks(painter);
  } else {
    paint_notice(painter);
  }
  paint_names(painter);
}

void Chart::Private::paint_head(QPainter& painter) {
  const ChartColors color = colors();
  QStringList notes;
  if (omitted > 0) notes << QStringLiteral("values ≤ 0 are left out");
  if (log_y) notes << QStringLiteral("log");
  if (smoothing > 0) notes << QStringLiteral("smoothed %1").arg(smoothing, 0, 'g', 3);
  const QString note = notes.join(QStringLiteral(" · "));
  const QFontMetricsF metrics(painter.font());
  const QRectF row(12, 4, painter.window().width() - 24.0, 22);
  const double note_width = note.isEmpty() ? 0 : metrics.horizontalAdvance(note) + 12;
  painter.setPen(color.dim);
  if (!title.isEmpty()) painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, note);
  QFont bold = painter.font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(color.text);
  painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                   name_for(QFontMetricsF(bold), title, row.width() - note_width));
  painter.setFont(chart.font());
}

void Chart::Private::paint_axes(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing, false);
  paint_y_axis(painter);
  paint_x_axis(painter);
  painter.setRenderHint(QPainter::Antialiasing, true);
}

void Chart::Private::paint_y_axis(QPainter& painter) {
  const ChartColors color = colors();
  const QRectF& plot = frame.plot;
  for (const Tick& tick : y_ticks) {
    const double share = (tick.at - frame.y.from) / (frame.y.to - frame.y.from);
    const double y = crisp(plot.bottom() - share * plot.height());
    painter.setPen(QPen(color.grid, 1));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(color.dim);
    painter.drawText(QRectF(0, y - 10, plot.left() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                     tick.label);
  }
}

void Chart::Private::paint_x_axis(QPainter& painter) {
  const ChartColors color = colors();
  const QRectF& plot = frame.plot;
  const QFontMetricsF metrics(painter.font());
  const double y = crisp(plot.bottom());
  painter.setPen(QPen(color.axis, 1));
  painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
  painter.setPen(color.dim);
  const double title_width = x_title.isEmpty() ? 0 : metrics.horizontalAdvance(x_title) + 10;
  painter.drawText(QRectF(plot.right() - title_width, y + 5, title_width, 18),
                   Qt::AlignRight | Qt::AlignVCenter, x_title);
  double free_from = -1e9;  // labels never touch each other
  const double free_to = plot.right() - title_width;
  for (const Tick& tick :
       x_ticks(x_axis, frame.x, std::max(2, static_cast<int>(plot.width() / 60)))) {
    const double x = crisp(frame.x_to_pixel(tick.at));
    const double half = metrics.horizontalAdvance(tick.label) / 2;
    const bool has_room = x - half > free_from && x + half < free_to;
    painter.setPen(QPen(color.axis, 1));
    painter.drawLine(QPointF(x, y), QPointF(x, y + (has_room ? 4 : 2)));
    if (!has_room) continue;
    free_from = x + half + 12;
    painter.setPen(color.dim);
    painter.drawText(QRectF(x - half - 2, y + 5, 2 * half + 4, 18), Qt::AlignCenter, tick.label);
  }
}

void Chart::Private::paint_notice(QPainter& painter) {
  const bool all_hidden = std::any_of(curves.begin(), curves.end(), [this](const Curve& curve) {
    return !curve.points.empty() && !is_visible(curve);
  });
  QString text = notice.isEmpty() ? QStringLiteral("No points yet") : plain(notice);
  if (all_hidden) text = QStringLiteral("All curves are hidden: click a name to show it");
  painter.setPen(colors().dim);
  const QRectF whole(16, 28, frame.plot.right() - 24, painter.window().height() - 40.0);
  painter.drawText(whole, Qt::AlignCenter | Qt::TextWordWrap, text);
}

void Chart::Private::update_picture() {
  const double ratio = chart.devicePixelRatioF();
  const QSize size(static_cast<int>(std::lround(chart.width() * ratio)),
                   static_cast<int>(std::lround(chart.height() * ratio)));
  if (size.isEmpty()) return;
  if (!picture_is_old && picture.size() == size) return;
  if (picture.size() != size) picture = QImage(size, QImage::Format_ARGB32_Premultiplied);
  picture.setDevicePixelRatio(ratio);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.setWindow(0, 0, chart.width(), chart.height());
  painter.setViewport(0, 0, chart.width(), chart.height());
  paint_all(painter, QSizeF(chart.size()), ratio, false);
  picture_is_old = false;
  ++work.pictures;
}

void Chart::paintEvent(QPaintEvent* event) {
  private_->update_picture();
  QPainter painter(this);
  painter.setClipRegion(event->region());
  painter.drawImage(QPointF(0, 0), private_->picture);
  private_->paint_overlay(painter);
}

}  // namespace dt::gui
