#include "gui/data/experiment_curves.h"

#include <cmath>
#include <utility>

#include "dovetail/v1/metrics.grpc.pb.h"

namespace dt::gui {
namespace {

using namespace std::chrono_literals;

constexpr auto list_every = 1'000ms;
constexpr std::size_t curves_max = 300;
constexpr std::size_t spark_points = 16;

}  // namespace

std::vector<double> spark_of(const std::vector<CurvePoint>& points) {
  std::vector<double> values;
  for (const CurvePoint& point : points) {
    if (std::isfinite(point.value)) values.push_back(point.value);
  }
  if (values.size() <= spark_points) return values;
  std::vector<double> few;
  for (std::size_t i = 0; i < spark_points; ++i) {
    few.push_back(values[i * (values.size() - 1) / (spark_points - 1)]);
  }
  return few;
}

ExperimentCurves::ExperimentCurves(Master& master, Live& live, std::int64_t experiment_id,
                                   QObject* parent)
    : QObject(parent),
      master_(master),
      experiment_id_(experiment_id),
      curves_(master, live),
      refresh_(list_every, [this] { ask(); }) {
  connect(&live, &Live::changed, this, &ExperimentCurves::take_changes);
  connect(&live, &Live::reset, this, [this] {
    if (!metric_.isEmpty()) refresh_.want();
  });
  connect(&curves_, &Curves::changed, this, &ExperimentCurves::take_points);
}

void ExperimentCurves::set_metric(const QString& name) {
  if (name == metric_) return;
  metric_ = name;
  series_.clear();
  points_.clear();
  show_series();
  refresh_.want();
}

void ExperimentCurves::set_order(std::vector<std::int64_t> trial_ids) {
  if (trial_ids.size() > curves_max) trial_ids.resize(curves_max);
  if (trial_ids == order_) return;
  order_ = std::move(trial_ids);
  show_series();
}

void ExperimentCurves::show_range(std::optional<ChartRange> range, int pixels) {
  curves_.set_pixels(pixels);
  if (!range) return curves_.show_range({});
  curves_.show_range(StepRange{static_cast<std::int64_t>(std::floor(range->from)),
                               static_cast<std::int64_t>(std::ceil(range->to))});
}

void ExperimentCurves::take_changes(const Changes& changes) {
  if (metric_.isEmpty()) return;
  for (const v1::Change& change : changes) {
    const bool is_ours = change.kind() == "series" && change.experiment_id() == experiment_id_;
    // The first values of a trial, perhaps of this metric.
    if (is_ours && !series_.contains(change.trial_id())) return refresh_.want();
  }
}

void ExperimentCurves::ask() {
  v1::ListSeriesRequest request;
  request.set_experiment_id(experiment_id_);
  request.set_metric_group("validation");
  request.set_name(metric_.toStdString());
  asking_ = master_.call<v1::Metrics>(
      &v1::Metrics::Stub::ListSeries, request,
      [this](Result<v1::ListSeriesResponse> got) { take(std::move(got)); });
}

void ExperimentCurves::take(Result<v1::ListSeriesResponse> got) {
  refresh_.done();
  problem_ = got.ok() ? Status() : got.status();
  if (!got.ok()) {
    Q_EMIT changed({});
    return;
  }
  std::map<std::int64_t, const v1::Series*> lowest;  // rank, by trial
  for (const v1::Series& series : got->series()) {
    const v1::Series*& first = lowest[series.trial_id()];
    if (first == nullptr || series.rank() < first->rank()) first = &series;
  }
  for (const auto& [trial, series] : lowest) series_[trial] = series->id();
  show_series();
  Q_EMIT changed({});
}

void ExperimentCurves::show_series() {
  std::vector<std::int64_t> ids;
  for (const std::int64_t trial : order_) {
    const auto known = series_.find(trial);
    if (known != series_.end()) ids.push_back(known->second);
  }
  curves_.show_series(ids);
}

void ExperimentCurves::take_points() {
  std::vector<std::int64_t> trials;
  for (const std::int64_t trial : order_) {
    const auto known = series_.find(trial);
    const SeriesData* data = known == series_.end() ? nullptr : curves_.find(known->second);
    if (data == nullptr) continue;
    Points points = curve_points(data->composed(), XMode::step, 0);
    Points& before = points_[trial];
    if (points == before) continue;
    before = std::move(points);
    trials.push_back(trial);
  }
  Q_EMIT changed(trials);
}

}  // namespace dt::gui
