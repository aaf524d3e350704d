// The charts of one trial or of several, from their series to what is in sight: which series there
// are, their points, and the grid that shows them. Zooming fetches finer points; what grows arrives
// by itself. GUI thread only.
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <vector>

#include "gui/data/curves.h"
#include "gui/data/metric_charts.h"
#include "gui/data/series_list.h"

namespace dt::gui {

class ChartGrid;
class Content;
class Session;

class MetricGrid : public QWidget {
  Q_OBJECT

 public:
  using Arrange = std::function<std::vector<MetricChart>(const std::vector<SeriesRow>&)>;

  MetricGrid(Session& session, Arrange arrange, QWidget* parent = nullptr);

  void show_trials(std::vector<std::int64_t> trials);
  // What relative time counts from, by trial; without it: a curve's first point.
  void set_starts(std::map<std::int64_t, std::int64_t> starts_ms);
  // Why there are no points yet: "trial 9 waits for 2 slots".
  void set_waiting_words(const QString& headline, const QString& text);
  void arrange_again();  // what `arrange` gives has changed
  void reload() { curves_.reload(); }

  ChartGrid& grid() { return *grid_; }
  const SeriesList& series() const { return series_; }

 Q_SIGNALS:
  void series_changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_state();
  void show_sight();
  void show_curves();
  void choose_range(std::optional<ChartRange> range, int pixels);
  Curve curve_of(const ChartPart& part) const;
  SeriesPoints points_of(const ChartPart& part) const;
  std::int64_t start_of(const ChartPart& part, const SeriesPoints& points) const;

  Session& session_;
  Arrange arrange_;
  SeriesList series_;
  Curves curves_;
  std::map<QString, MetricChart> charts_;
  std::map<std::int64_t, std::int64_t> starts_ms_;
  QString headline_ = QStringLiteral("No metrics yet");
  QString text_ = QStringLiteral("The first point that the trial reports appears here at once.");
  ChartGrid* grid_;
  Content* content_;
};

}  // namespace dt::gui
