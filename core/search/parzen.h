// A Parzen density over the axes of a hyperparameter space: the mean of kernels around points and
// of one wide prior. A kernel is a product over the axes: a normal distribution cut off at the
// bounds, or, for a choice, most of the weight on one value. Pure.
#pragma once

#include <vector>

#include "base/numpy_random.h"

namespace dt::core {

struct ParzenAxis {
  double low = 0;
  double high = 1;
  int choices = 0;  // more than 0: a categorical axis, whose coordinates are 0 .. choices - 1
};

class Parzen {
 public:
  using Point = std::vector<double>;

  Parzen(const std::vector<ParzenAxis>& axes, const std::vector<const Point*>& points);

  Point draw(NumpyRandom& random) const;
  double log_density(const Point& point) const;

 private:
  double kernel_exponent(std::size_t kernel, const Point& point) const;

  const std::vector<ParzenAxis>& axes_;
  std::size_t kernels_;             // the last one is the prior
  std::vector<double> centers_;     // by kernel, then axis
  std::vector<double> widths_;      // by axis; the prior's is the axis itself
  std::vector<double> log_scales_;  // by kernel: of the product over the numeric axes
  double spread_ = 0;               // of a choice's weight over the other values
};

}  // namespace dt::core
