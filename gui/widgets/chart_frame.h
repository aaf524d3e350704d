// Where a chart's data lie on the screen: the rectangle of the curves and the ranges it shows.
// Pure.
#pragma once

#include <QRectF>
#include <cmath>

#include "gui/widgets/chart.h"

namespace dt::gui {

struct ChartFrame {
  QRectF plot;  // logical pixels
  ChartRange x;
  ChartRange y;  // powers of ten when log_y
  bool log_y = false;

  double x_to_pixel(double value) const {
    return plot.left() + (value - x.from) / (x.to - x.from) * plot.width();
  }
  double pixel_to_x(double pixel) const {
    return x.from + (pixel - plot.left()) / plot.width() * (x.to - x.from);
  }
  // A value that a log axis cannot show lies far below.
  double y_to_pixel(double value) const {
    if (log_y && !(value > 0)) return plot.bottom() + 1e4;
    const double at = log_y ? std::log10(value) : value;
    return plot.bottom() - (at - y.from) / (y.to - y.from) * plot.height();
  }
};

}  // namespace dt::gui
