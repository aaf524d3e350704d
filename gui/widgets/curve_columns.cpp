#include "gui/widgets/curve_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dt::gui {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool before(const CurvePoint& point, double x) { return point.x < x; }

// Gathers the points of one column.
class Gatherer {
 public:
  void add(const CurvePoint& point, double smooth) {
    ++points_;
    x_ += point.x;
    column_.smooth = smooth;
    count_non_finite(point);
    if (!std::isfinite(point.value)) return;
    const auto weight =
        static_cast<double>(std::max<std::int64_t>(point.count - point.non_finite, 1));
    const bool first = finite_ == 0;
    column_.min = first ? point.min : std::min(column_.min, point.min);
    column_.max = first ? point.max : std::max(column_.max, point.max);
    finite_ += weight;
    sum_ += point.value * weight;
  }

  CurveColumn take() {
    CurveColumn column = column_;
    column.x = x_ / static_cast<double>(points_);
    column.value = finite_ > 0 ? sum_ / finite_ : no_number;
    if (finite_ > 0 && std::isinf(column.value)) column.value = column.min / 2 + column.max / 2;
    if (finite_ == 0) column.min = column.max = no_number;
    *this = {};
    return column;
  }

  bool empty() const { return points_ == 0; }

 private:
  void count_non_finite(const CurvePoint& point) {
    const std::int64_t lost = std::max<std::int64_t>(point.non_finite, !std::isfinite(point.value));
    if (lost == 0) return;
    if (std::isinf(point.value)) {
      (point.value > 0 ? column_.above : column_.below) += lost;
    } else {
      column_.not_a_number += lost;
    }
  }

  CurveColumn column_;
  std::int64_t points_ = 0;
  double x_ = 0;
  double sum_ = 0;
  double finite_ = 0;
};

}  // namespace

std::vector<CurveColumn> columns_of(const std::vector<CurvePoint>& points,
                                    const std::vector<double>& smooth, ChartRange range,
                                    double column_width) {
  std::vector<CurveColumn> columns;
  auto first = std::lower_bound(points.begin(), points.end(), range.from, before);
  auto last = std::upper_bound(points.begin(), points.end(), range.to,
                               [](double x, const CurvePoint& point) { return x < point.x; });
  if (first != points.begin()) --first;
  if (last != points.end()) ++last;
  columns.reserve(static_cast<std::size_t>(std::min<double>(
      static_cast<double>(last - first), (range.to - range.from) / column_width + 3)));
  Gatherer gatherer;
  double end = 0;  // of the column that is gathered
  for (auto point = first; point != last; ++point) {
    if (!gatherer.empty() && point->x >= end) columns.push_back(gatherer.take());
    if (gatherer.empty()) end = (std::floor(point->x / column_width) + 1) * column_width;
    const auto index = static_cast<std::size_t>(point - points.begin());
    gatherer.add(*point, smooth.empty() ? point->value : smooth[index]);
  }
  if (!gatherer.empty()) columns.push_back(gatherer.take());
  return columns;
}

std::vector<double> smoothed(const std::vector<CurvePoint>& points, double weight) {
  std::vector<double> result;
  result.reserve(points.size());
  double sum = 0;
  double total = 0;  // of the weights so far: what a sum that began at zero must be divided by
  for (const CurvePoint& point : points) {
    if (std::isfinite(point.value)) {
      const auto times =
          static_cast<double>(std::max<std::int64_t>(point.count - point.non_finite, 1));
      const double keep = times == 1 ? weight : std::pow(weight, times);
      sum = sum * keep + point.value * (1 - keep);
      total = total * keep + (1 - keep);
    }
    result.push_back(std::isfinite(point.value) && total > 0 ? sum / total : no_number);
  }
  return result;
}

std::optional<std::size_t> nearest_point(const std::vector<CurvePoint>& points, double x) {
  if (points.empty()) return std::nullopt;
  auto after = std::lower_bound(points.begin(), points.end(), x, before);
  if (after == points.end()) return points.size() - 1;
  if (after != points.begin() && x - std::prev(after)->x <= after->x - x) --after;
  return static_cast<std::size_t>(after - points.begin());
}

}  // namespace dt::gui
