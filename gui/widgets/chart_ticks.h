// Where an axis has its lines and what stands beside them: round numbers, decades, or round times.
// Pure.
#pragma once

#include <QString>
#include <vector>

#include "gui/widgets/chart.h"

namespace dt::gui {

struct Tick {
  double at = 0;
  QString label;  // empty: a faint line between two decades
  bool operator==(const Tick&) const = default;
};

// At most about `most` round numbers within the range.
std::vector<Tick> number_ticks(ChartRange range, int most);
// Of an axis whose range is given as powers of ten: decades; 2 and 5 too when there are few.
std::vector<Tick> log_ticks(ChartRange exponents, int most);
// x in seconds since 1970, shown as local time, or in seconds since a start.
std::vector<Tick> clock_ticks(ChartRange range, int most);
std::vector<Tick> duration_ticks(ChartRange range, int most);
std::vector<Tick> x_ticks(XAxis axis, ChartRange range, int most);

// For the crosshair: every digit of a step, "14:05:31", "01:12:04".
QString x_text(XAxis axis, double x);
}  // namespace dt::gui
