// The learning curves of an experiment's trials: one metric of the group “validation”, a curve a
// trial. Two requests however many trials there are; of thousands the first few hundred of the order
// are read. What grows is read on, and more finely where somebody zooms in (curves.h). GUI thread
// only.
#pragma once

#include <QObject>
#include <map>
#include <vector>

#include "dovetail/v1/metrics.pb.h"
#include "gui/data/curves.h"
#include "gui/data/live.h"
#include "gui/data/master.h"
#include "gui/data/refresher.h"
#include "gui/widgets/chart.h"

namespace dt::gui {

class ExperimentCurves : public QObject {
  Q_OBJECT

 public:
  using Points = std::vector<CurvePoint>;

  ExperimentCurves(Master& master, Live& live, std::int64_t experiment_id,
                   QObject* parent = nullptr);

  // Both may be told again; another metric drops what there is.
  void set_metric(const QString& name);
  // By how much they matter.
  void set_order(std::vector<std::int64_t> trial_ids);
  void show_range(std::optional<ChartRange> range, int pixels);

  const Status& problem() const { return problem_.ok() ? curves_.problem() : problem_; }
  const std::map<std::int64_t, Points>& by_trial() const { return points_; }

 Q_SIGNALS:
  void changed(const std::vector<std::int64_t>& trial_ids);

 private:
  void take_changes(const Changes& changes);
  void ask();
  void take(Result<v1::ListSeriesResponse> got);
  void show_series();
  void take_points();

  Master& master_;
  const std::int64_t experiment_id_;
  QString metric_;
  std::vector<std::int64_t> order_;
  std::map<std::int64_t, std::int64_t> series_;  // by trial: its series of the lowest rank
  std::map<std::int64_t, Points> points_;        // by trial
  Status problem_;
  Curves curves_;
  Refresher refresh_;
  Call asking_;
};

// Sixteen values at most, for a line as small as a word.
std::vector<double> spark_of(const std::vector<CurvePoint>& points);

}  // namespace dt::gui
