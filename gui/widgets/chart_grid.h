// The charts of a page, in as many columns as fit: a thousand metrics cost what is in sight, since
// a chart lives only while it is seen. Range, crosshair, log axis and smoothing are those of all of
// them. It knows no master: whoever owns it gives curves for the charts that are in sight. GUI
// thread only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "gui/data/series_points.h"
#include "gui/widgets/chart.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QSlider;
class QToolButton;

namespace dt::gui {

struct GridChart {
  QString key;  // the same chart keeps its key
  QString title;
  bool operator==(const GridChart&) const = default;
};

class ChartGrid : public QWidget {
  Q_OBJECT

 public:
  explicit ChartGrid(QWidget* parent = nullptr);

  // Which charts there are, in order.
  void set_charts(std::vector<GridChart> charts);
  // The curves of charts in sight; others are not touched.
  void set_curves(const std::map<QString, std::vector<Curve>>& curves);
  void set_notice(const QString& text);  // what charts without curves say

  std::vector<QString> keys_in_sight() const;
  Chart* chart(const QString& key) const;  // null: not in sight
  XMode x_mode() const;
  std::optional<ChartRange> range() const { return range_; }
  // Before the usual tools.
  void add_tool(QWidget* tool);

 Q_SIGNALS:
  void sight_changed();  // other charts want curves
  void x_mode_changed();
  void range_chosen(std::optional<dt::gui::ChartRange> range, int pixels);
  void logs_wanted(const dt::gui::Link& link, qint64 time_ms);
  void curve_opened(const dt::gui::Link& link);
  void saved(const QString& path, bool is_well);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_tools();
  void filter();
  void place();
  Chart* make_chart(const GridChart& wanted);
  void listen(Chart* chart);
  void share_range(Chart* from, std::optional<ChartRange> range, int pixels);
  void share_smoothing(double weight);
  void share_log(bool on);
  void show_extent();
  QRect cell(int place) const;
  int columns() const;
  int rows() const;
  int chart_height() const;

  std::vector<GridChart> charts_;
  std::vector<GridChart> shown_;  // that pass the filter
  std::map<QString, Chart*> living_;
  QString notice_;
  std::optional<ChartRange> range_;
  double smoothing_ = 0;
  bool is_log_ = false;
  bool is_linked_ = true;
  QHBoxLayout* tools_;
  QLineEdit* filter_;
  QComboBox* x_mode_;
  QSlider* smooth_;
  QLabel* smooth_text_;
  QToolButton* log_;
  QToolButton* link_;
  QScrollArea* scroll_;
  QWidget* canvas_;
};

}  // namespace dt::gui
