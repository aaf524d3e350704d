#include "core/search/parzen.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dt::core {

namespace {

constexpr double root_half = 0.70710678118654752440;
constexpr double log_root_two_pi = 0.91893853320467274178;

double normal_below(double z) { return 0.5 * std::erfc(-z * root_half); }

// The inverse of normal_below(): bisection is exact enough, and the same on every machine.
double normal_quantile(double share, double low, double high) {
  for (int i = 0; i < 48; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_below(middle) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Silverman's rate in many dimensions; never so narrow that a kernel is a point.
double relative_width(std::size_t points, std::size_t axes) {
  const auto count = static_cast<double>(points);
  const double rate = 0.2 * std::pow(count, -1.0 / (static_cast<double>(axes) + 4));
  return std::max(rate, 1.0 / std::min(100.0, count + 2));
}

}  // namespace

Parzen::Parzen(const std::vector<ParzenAxis>& axes, const std::vector<const Point*>& points)
    : axes_(axes), kernels_(points.size() + 1), spread_(1.0 / static_cast<double>(kernels_)) {
  const double width = relative_width(kernels_, axes.size());
  for (const ParzenAxis& axis : axes) widths_.push_back(width * (axis.high - axis.low));
  centers_.reserve(kernels_ * axes.size());
  for (const Point* point : points) centers_.insert(centers_.end(), point->begin(), point->end());
  for (const ParzenAxis& axis : axes) centers_.push_back(0.5 * (axis.low + axis.high));
  for (std::size_t kernel = 0; kernel < kernels_; ++kernel) {
    const bool prior = kernel + 1 == kernels_;
    double log_scale = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].choices > 0) continue;
      const double center = centers_[kernel * axes.size() + i];
      const double sigma = prior ? axes[i].high - axes[i].low : widths_[i];
      const double inside = normal_below((axes[i].high - center) / sigma) -
                            normal_below((axes[i].low - center) / sigma);
      log_scale -= std::log(sigma * inside) + log_root_two_pi;
    }
    log_scales_.push_back(log_scale);
  }
}

Parzen::Point Parzen::draw(NumpyRandom& random) const {
  const auto kernel = static_cast<std::size_t>(random.up_to(kernels_ - 1));
  const bool prior = kernel + 1 == kernels_;
  Point point;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const ParzenAxis& axis = axes_[i];
    const double center = centers_[kernel * axes_.size() + i];
    const double chance = random.unit();
    if (axis.choices > 0) {
      // One part of the weight is the center's own, the rest is spread over all.
      const double all = prior ? 1 : spread_ * axis.choices / (1 + spread_ * axis.choices);
      const double other = std::min(std::floor(chance / all * axis.choices), axis.choices - 1.0);
      point.push_back(chance < all ? other : center);
      continue;
    }
    const double sigma = prior ? axis.high - axis.low : widths_[i];
    const double low = (axis.low - center) / sigma, high = (axis.high - center) / sigma;
    const double share = normal_below(low) + chance * (normal_below(high) - normal_below(low));
    const double drawn = center + sigma * normal_quantile(share, low, high);
    point.push_back(std::clamp(drawn, axis.low, axis.high));
  }
  return point;
}

double Parzen::kernel_exponent(std::size_t kernel, const Point& point) const {
  const bool prior = kernel + 1 == kernels_;
  double exponent = log_scales_[kernel];
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const ParzenAxis& axis = axes_[i];
    const double center = centers_[kernel * axes_.size() + i];
    if (axis.choices > 0) {
      const double own = prior ? 1 : spread_ + (point[i] == center ? 1 : 0);
      exponent += std::log(own / (prior ? axis.choices : 1 + spread_ * axis.choices));
      continue;
    }
    const double z = (point[i] - center) / (prior ? axis.high - axis.low : widths_[i]);
    exponent -= 0.5 * z * z;
  }
  return exponent;
}

double Parzen::log_density(const Point& point) const {
  std::vector<double> exponents(kernels_);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t kernel = 0; kernel < kernels_; ++kernel) {
    exponents[kernel] = kernel_exponent(kernel, point);
    largest = std::max(largest, exponents[kernel]);
  }
  double sum = 0;
  for (const double exponent : exponents) sum += std::exp(exponent - largest);
  return largest + std::log(sum / static_cast<double>(kernels_));
}

}  // namespace dt::core
