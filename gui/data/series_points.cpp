#include "gui/data/series_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace dt::gui {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// The first point that begins at or after the step.
SeriesPoints::const_iterator first_from(const SeriesPoints& points, std::int64_t step) {
  return std::lower_bound(points.begin(), points.end(), step,
                          [](const SeriesPoint& p, std::int64_t at) { return p.first_step < at; });
}

std::int64_t count_of(const SeriesPoints& points) {
  std::int64_t count = 0;
  for (const SeriesPoint& point : points) count += point.count;
  return count;
}

// Where the bucket begins that holds the step, if one does.
std::int64_t bucket_start(const SeriesPoints& points, std::int64_t step) {
  const auto after = first_from(points, step);
  if (after == points.begin()) return step;
  const SeriesPoint& before = *std::prev(after);
  return before.last_step >= step ? before.first_step : step;
}

void replace_from(SeriesPoints& points, std::int64_t from, const SeriesPoints& fresh,
                  std::int64_t to = std::numeric_limits<std::int64_t>::max()) {
  points.erase(first_from(points, from), points.end());
  for (const SeriesPoint& point : fresh) {
    if (point.first_step >= from && point.first_step <= to) points.push_back(point);
  }
}

double x_of(const SeriesPoint& point, XMode mode, std::int64_t start_ms) {
  switch (mode) {
    case XMode::step: return static_cast<double>(point.last_step);
    case XMode::time: return static_cast<double>(point.last_time_ms) / 1000;
    case XMode::relative: return static_cast<double>(point.last_time_ms - start_ms) / 1000;
  }
  return 0;
}

void add_to(SeriesPoint& sum, const SeriesPoint& point) {
  const auto finite_before = static_cast<double>(sum.count - sum.non_finite);
  const auto finite_here = static_cast<double>(point.count - point.non_finite);
  if (finite_here > 0) {
    const bool first = finite_before == 0;
    sum.min = first ? point.min : std::min(sum.min, point.min);
    sum.max = first ? point.max : std::max(sum.max, point.max);
    const double share = finite_here / (finite_before + finite_here);
    sum.mean = first ? point.mean : sum.mean + (point.mean - sum.mean) * share;
  }
  sum.first_step = std::min(sum.first_step, point.first_step);
  sum.last_time_ms = std::max(sum.last_time_ms, point.last_time_ms);
  sum.first_time_ms = std::min(sum.first_time_ms, point.first_time_ms);
  sum.count += point.count;
  sum.non_finite += point.non_finite;
  sum.last = point.last;
}

}  // namespace

std::int64_t SeriesData::tail_start(std::optional<std::int64_t> wanted) const {
  if (!wanted) {
    return overview_.empty() ? std::numeric_limits<std::int64_t>::min()
                             : overview_.back().first_step;
  }
  return std::min(bucket_start(overview_, *wanted), bucket_start(detail_, *wanted));
}

void SeriesData::replace(SeriesPoints points) {
  overview_ = std::move(points);
  count_ = count_of(overview_);
}

void SeriesData::take_tail(std::int64_t from, const SeriesPoints& points) {
  replace_from(overview_, from, points);
  count_ = count_of(overview_);
  if (detail_range_ && detail_range_->to >= from) {
    replace_from(detail_, from, points, detail_range_->to);
  }
}

void SeriesData::set_detail(StepRange range, SeriesPoints points) {
  detail_range_ = range;
  detail_ = std::move(points);
}

SeriesPoints SeriesData::composed() const {
  if (!detail_range_ || detail_.empty()) return overview_;
  // An overview bucket that reaches into the detail would be drawn twice: the detail has its
  // points.
  SeriesPoints points;
  const std::int64_t from = detail_.front().first_step;
  const std::int64_t to = detail_.back().last_step;
  for (const SeriesPoint& point : overview_) {
    if (point.last_step < from) points.push_back(point);
  }
  points.insert(points.end(), detail_.begin(), detail_.end());
  points.insert(points.end(), first_from(overview_, to + 1), overview_.end());
  return points;
}

std::vector<CurvePoint> curve_points(const SeriesPoints& points, XMode mode,
                                     std::int64_t start_ms) {
  std::vector<CurvePoint> curve;
  curve.reserve(points.size());
  for (const SeriesPoint& point : points) {
    const bool is_raw = point.count == 1;
    const bool has_finite = point.count > point.non_finite;
    const double value = is_raw ? point.last : has_finite ? point.mean : no_number;
    curve.push_back({.x = x_of(point, mode, start_ms),
                     .value = value,
                     .min = is_raw ? value : point.min,
                     .max = is_raw ? value : point.max,
                     .count = point.count,
                     .non_finite = point.non_finite,
                     .time_ms = point.last_time_ms});
  }
  const auto by_x = [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; };
  if (!std::is_sorted(curve.begin(), curve.end(), by_x)) {  // clocks of several nodes
    std::stable_sort(curve.begin(), curve.end(), by_x);
  }
  return curve;
}

SeriesPoints band_of(const std::vector<const SeriesPoints*>& ranks) {
  std::map<std::int64_t, SeriesPoint> by_step;
  for (const SeriesPoints* points : ranks) {
    for (const SeriesPoint& point : *points) {
      const auto [place, is_new] = by_step.try_emplace(point.last_step, point);
      if (!is_new) add_to(place->second, point);
    }
  }
  SeriesPoints band;
  band.reserve(by_step.size());
  for (const auto& [step, point] : by_step) band.push_back(point);
  return band;
}

std::optional<StepRange> steps_within(const SeriesPoints& points, XMode mode, std::int64_t start_ms,
                                      ChartRange range) {
  std::optional<StepRange> steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = x_of(points[i], mode, start_ms);
    const double before = i == 0 ? x : x_of(points[i - 1], mode, start_ms);
    if (x < range.from || before > range.to) continue;  // a bucket lies between its neighbour and x
    if (!steps) steps = StepRange{points[i].first_step, points[i].last_step};
    steps->to = points[i].last_step;
  }
  return steps;
}

}  // namespace dt::gui
