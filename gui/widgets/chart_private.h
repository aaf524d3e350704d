// The inside of Chart, shared by its source files: chart.cpp (what callers set), chart_layout.cpp
// (where everything stands), chart_painting.cpp (axes) and chart_curves.cpp (curves), kept as one
// picture, chart_names.cpp (labels and legend), chart_cursor.cpp (the crosshair, painted over the
// picture), chart_input.cpp (mouse and keys), chart_export.cpp. GUI thread only.
#pragma once

#include <QImage>
#include <QPainter>
#include <QRegion>
#include <set>
#include <span>

#include "gui/widgets/chart.h"
#include "gui/widgets/chart_frame.h"
#include "gui/widgets/chart_ticks.h"
#include "gui/widgets/curve_columns.h"
#include "gui/widgets/line_raster.h"

class QMenu;

namespace dt::gui {

struct ChartColors {
  QColor back, text, dim, grid, axis, card, accent;
};

class Chart::Private {
 public:
  explicit Private(Chart& chart_of) : chart(chart_of) {}

  // What is kept of a curve, beside the curve.
  struct Drawn {
    std::vector<double> smooth;  // empty: no smoothing
    std::vector<CurveColumn> columns;
    ChartRange covered;       // by the columns
    double column_width = 0;  // 0: none yet
  };
  struct NameBox {  // a label or legend row: what a click on it means
    QRectF box;
    std::size_t curve = 0;
  };
  struct CursorRow {
    std::size_t curve = 0;
    std::size_t point = 0;
    double value = 0;  // smoothed, when the chart is
  };

  // chart.cpp
  bool is_visible(const Curve& curve) const;
  std::vector<std::size_t> visible() const;  // faint ones first, in the order of drawing
  void prepare_curve(std::size_t curve);
  void forget_columns();
  void show_changed();  // everything but the data
  void choose_range(std::optional<ChartRange> wanted);

  // chart_layout.cpp
  void lay_out(QSizeF size, double pixel_ratio);
  ChartRange full_x() const;
  ChartRange shown_x() const { return range ? *range : full_x(); }
  void fill_columns(double pixel_ratio);
  ChartRange y_range();
  // Of the kept columns those in sight, and one beyond on each side.
  std::span<const CurveColumn> seen_columns(std::size_t curve) const;
  double names_width() const;
  bool has_legend() const;
  std::vector<std::size_t> named() const;  // curves with a label or a legend row

  // chart_painting.cpp
  ChartColors colors() const;
  void paint_all(QPainter& painter, QSizeF size, double pixel_ratio, bool as_vectors);
  void paint_axes(QPainter& painter);
  void paint_y_axis(QPainter& painter);
  void paint_x_axis(QPainter& painter);
  void paint_head(QPainter& painter);
  void paint_notice(QPainter& painter);
  void update_picture();

  // chart_curves.cpp
  void paint_curves(QPainter& painter, double pixel_ratio);
  void raster_curve(LineRaster& raster, std::size_t curve, double pixel_ratio, bool is_one_of_few);
  void raster_envelope(LineRaster& raster, std::size_t curve, double pixel_ratio);
  void paint_vectors(QPainter& painter);
  void paint_marks(QPainter& painter);
  // Unbroken pieces of the line, in pixels from the plot's corner.
  std::vector<std::vector<PixelPoint>> pieces_of(std::size_t curve, bool smooth,
                                                 double pixel_ratio) const;

  // chart_names.cpp
  void paint_names(QPainter& painter);
  void paint_labels(QPainter& painter, const std::vector<std::size_t>& curves);
  void paint_legend(QPainter& painter, const std::vector<std::size_t>& curves);
  void paint_name(QPainter& painter, const QRectF& box, std::size_t curve, bool is_on);
  std::optional<std::size_t> name_at(QPointF place) const;
  bool scroll_legend(QPointF place, int rows);

  // chart_cursor.cpp
  std::vector<CursorRow> rows_at(double x) const;
  std::optional<double> snapped(double x) const;
  void move_cursor(std::optional<double> x, bool from_user);
  void pin(bool on);
  void paint_overlay(QPainter& painter);
  void paint_cursor(QPainter& painter);
  void paint_box(QPainter& painter, const std::vector<CursorRow>& rows);
  std::vector<CursorRow> box_rows(std::vector<CursorRow> rows, int most) const;
  QRectF box_place(QSizeF size) const;
  std::optional<std::size_t> nearest_row(const std::vector<CursorRow>& rows) const;
  QRegion overlay_region() const;
  void update_overlay();

  // chart_input.cpp
  void press(QMouseEvent& event);
  void drag(QPointF place);
  void release(QPointF place);
  void click(QPointF place);
  void double_click(QPointF place);
  void pan(double pixels);
  void zoom(double factor, double around_pixel);
  bool key(int pressed);
  void open_logs_here();
  void fill_menu(QMenu& menu);
  void fill_curve_menu(QMenu& menu, std::size_t curve);

  // chart_export.cpp
  QImage rendered(double scale);
  QByteArray svg();
  std::vector<Curve> visible_curves() const;
  void copy_picture();
  void choose_file(const QString& suffix, const QString& filter);
  void save_to(const QString& path, const QString& suffix);

  Chart& chart;

  // As it was set.
  QString title, x_title, notice;
  XAxis x_axis = XAxis::number;
  std::vector<Curve> curves;
  std::set<std::int64_t> hidden;
  std::optional<std::int64_t> isolated;
  bool log_y = false;
  double smoothing = 0;
  double last_smoothing = 0.6;  // what S brings back
  std::optional<ChartRange> range;
  std::optional<ChartRange> full_range;

  // As it follows.
  std::vector<Drawn> drawn;  // beside curves
  ChartFrame frame;
  std::vector<Tick> y_ticks;
  double left_margin = 40;
  double names_at = 0;  // left edge of labels or legend
  int legend_scroll = 0;
  std::vector<NameBox> name_boxes;
  std::int64_t omitted = 0;  // columns that a log axis cannot show
  QImage picture;
  bool picture_is_old = true;
  Work work;

  // The crosshair and what the mouse does.
  std::optional<double> cursor;
  bool is_hovered = false;  // the mouse is over the curves: the values are shown
  bool is_pinned = false;
  QPointF pointer;
  QRectF logs_box;  // “Open logs here”, where it was painted last
  QRegion painted_overlay;
  enum class Drag { none, pressed, zooming, panning };
  Drag dragging = Drag::none;
  QPointF drag_from;
  ChartRange drag_range;
  bool space_is_down = false;
};

// The name as a chart shows it: harmless, one line, at most `width` wide.
QString name_for(const QFontMetricsF& metrics, const QString& name, double width);
QPen pen_of(const Curve& curve, double width);

}  // namespace dt::gui
