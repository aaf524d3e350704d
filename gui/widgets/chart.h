// A line chart over steps (or time, or another metric): many curves, drawn from buckets so that no
// spike is lost, with crosshair, zoom, pan, log axis and smoothing. It knows no master: it is given
// curves, and asks for finer ones when the range it shows changes. A drag zooms, the wheel or a
// drag with space pans, a double click shows all; L is the log axis, S the smoothing. GUI thread
// only.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/data/links.h"

namespace dt::gui {

// One drawn place of a curve: a raw point (min = max = value) or a bucket of many.
struct CurvePoint {
  double x = 0;      // of the last point in it
  double value = 0;  // the mean of the finite values; NaN: none is finite
  double min = 0;
  double max = 0;
  std::int64_t count = 1;
  std::int64_t non_finite = 0;
  std::int64_t time_ms = 0;  // Unix time of the last point
  bool operator==(const CurvePoint&) const = default;
};

struct Curve {
  std::int64_t key = 0;  // the same curve keeps its key, so an update moves nothing else
  QString name;          // as people call it: "trial 9", "rank 1"
  QColor color;
  Qt::PenStyle dash = Qt::SolidLine;
  bool is_strong = true;  // faint ones are context: no label, below the others
  Link link;
  std::vector<CurvePoint> points;  // by x
  bool operator==(const Curve&) const = default;
};

// What x is: a number as it is, seconds since 1970, or seconds since a start.
enum class XAxis { number, clock, duration };

struct ChartRange {
  double from = 0;
  double to = 0;
  bool operator==(const ChartRange&) const = default;
};

class Chart : public QWidget {
  Q_OBJECT

 public:
  explicit Chart(QWidget* parent = nullptr);
  ~Chart() override;

  void set_title(const QString& title);
  void set_x_title(const QString& title);  // with its unit: "step", "time (min)"
  void set_x_axis(XAxis axis);
  // Replaces all curves; zoom, crosshair, hidden and isolated curves stay.
  void set_curves(std::vector<Curve> curves);
  // What is so while there are no curves: "No points yet: trial 9 waits for 2 slots". Plain text.
  void set_notice(const QString& text);

  void set_log_y(bool on);
  // Debiased exponential moving average; 0 is off, below 1. Raw stays visible behind it.
  void set_smoothing(double weight);
  void set_shown_range(std::optional<ChartRange> range);  // nothing: all
  // What “all” is, so that charts of a page begin and end alike; nothing: where the curves do.
  void set_full_range(std::optional<ChartRange> range);
  void set_cursor(std::optional<double> x);  // the crosshair of a linked chart

  bool log_y() const;
  double smoothing() const;
  std::optional<ChartRange> shown_range() const;
  const std::vector<Curve>& curves() const;
  // Curves that the legend hides or that are out of an isolation do not count.
  std::vector<std::int64_t> visible_keys() const;
  void set_hidden(std::int64_t key, bool is_hidden);
  void isolate(std::optional<std::int64_t> key);  // shows this curve alone; nothing: all again
  // The value of every visible curve at x, best first is not implied: in the order of drawing.
  struct ValueAt {
    std::int64_t key = 0;
    double x = 0;
    double value = 0;
  };
  std::vector<ValueAt> values_at(double x) const;

  // What is seen now, as people export it. SVG and CSV hold the same curves; CSV all their points.
  bool save_png(const QString& path, double scale = 2) const;
  bool save_svg(const QString& path) const;
  QString csv() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

  // How often the costly parts were done; a crosshair that moves does neither.
  struct Work {
    int reductions = 0;  // of a curve to its pixel columns
    int pictures = 0;    // of everything but the crosshair
  };
  Work work() const;

 Q_SIGNALS:
  // The user zoomed or panned (nothing: reset); `pixels` is the width the curves have.
  void range_chosen(std::optional<dt::gui::ChartRange> range, int pixels);
  void cursor_moved(std::optional<double> x);
  void pinned(std::optional<double> x);  // a click holds the crosshair, the next lets it go
  // “Open logs here” was chosen at a pinned place; logs_wanted names the nearest curve's thing.
  void place_pinned(double x, qint64 time_ms);
  void logs_wanted(const dt::gui::Link& link, qint64 time_ms);
  void curve_opened(const dt::gui::Link& link);
  void log_y_changed(bool on);
  void smoothing_changed(double weight);
  void saved(const QString& path, bool is_well);  // the context menu's “Save as …” is done

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  class Private;
  friend class Private;
  std::unique_ptr<Private> private_;
};

}  // namespace dt::gui
