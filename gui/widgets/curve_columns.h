// A curve as its pixels show it: one place for each pixel column that has points, with the mean for
// the line and the extremes for the envelope, so no spike is lost. Columns are counted from x = 0
// and not from the left edge, so nothing jumps while a chart is panned or grows. Also the
// smoothing. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/widgets/chart.h"

namespace dt::gui {

struct CurveColumn {
  double x = 0;      // of its only point; the mean of all of them
  double value = 0;  // the mean of the finite values; NaN: none is
  double min = 0;
  double max = 0;
  double smooth = 0;  // the smoothed value at its last point
  std::int64_t not_a_number = 0;
  std::int64_t above = 0;  // +infinity
  std::int64_t below = 0;  // −infinity
  bool operator==(const CurveColumn&) const = default;
};

// The columns between the range's ends and one point beyond each, so that lines run out of the
// chart. `smooth` is empty, or has the points' size. Columns are `column_width` wide (> 0).
std::vector<CurveColumn> columns_of(const std::vector<CurvePoint>& points,
                                    const std::vector<double>& smooth, ChartRange range,
                                    double column_width);

// Exponential moving average as TensorBoard has it: its start is not pulled towards zero, and what
// is not finite is passed over. A bucket of n points counts n times, so zooming in does not move
// the line.
std::vector<double> smoothed(const std::vector<CurvePoint>& points, double weight);

// The place of the point nearest to x; nothing for an empty curve.
std::optional<std::size_t> nearest_point(const std::vector<CurvePoint>& points, double x);

}  // namespace dt::gui
