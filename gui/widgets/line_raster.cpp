#include "gui/widgets/line_raster.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace dt::gui {
namespace {

constexpr std::uint32_t red_blue = 0x00FF00FF;

// Both halves of a pixel at once: x * a / 255, rounded.
std::uint32_t scaled(std::uint32_t pixel, std::uint32_t a) {
  std::uint32_t low = (pixel & red_blue) * a + 0x00800080;
  low = ((low + ((low >> 8) & red_blue)) >> 8) & red_blue;
  std::uint32_t high = ((pixel >> 8) & red_blue) * a + 0x00800080;
  high = (high + ((high >> 8) & red_blue)) & ~red_blue;
  return low | high;
}

// The pixel that holds a coordinate, which line() keeps near the picture: std::floor is a call.
int pixel_of(double at) { return static_cast<int>(at + 4096) - 4096; }

void cover(std::uint8_t& place, double coverage) {
  const auto level = static_cast<int>(coverage * 255 + 0.5);  // below 0 where the line is not
  if (level > place) place = static_cast<std::uint8_t>(std::min(level, 255));
}

// The part of a–b between x = low and x = high; nothing if there is none.
std::optional<std::pair<PixelPoint, PixelPoint>> cut_x(PixelPoint a, PixelPoint b, double low,
                                                       double high) {
  if (a.x > b.x) std::swap(a, b);
  if (!(b.x >= low && a.x <= high)) return std::nullopt;  // in these words for NaN, too
  const PixelPoint whole_a = a;
  const double width = b.x - a.x;
  const double height = b.y - a.y;
  if (a.x < low) a = {low, whole_a.y + height * (low - whole_a.x) / width};
  if (b.x > high) b = {high, whole_a.y + height * (high - whole_a.x) / width};
  return std::pair(a, b);
}

PixelPoint turned(PixelPoint p) { return {p.y, p.x}; }

}  // namespace

LineRaster::LineRaster(int width, int height)
    : width_(std::max(width, 0)),
      height_(std::max(height, 0)),
      picture_(offset(width_)),
      coverage_(offset(width_)),
      touched_(static_cast<std::size_t>(width_)) {}

void LineRaster::line(std::span<const PixelPoint> points, double line_width) {
  const double half = line_width / 2;
  const double margin = half + 1;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    auto part = cut_x(points[i], points[i + 1], -margin, width_ + margin);
    if (!part) continue;
    part = cut_x(turned(part->first), turned(part->second), -margin, height_ + margin);
    if (!part) continue;
    PixelPoint a = turned(part->first);
    PixelPoint b = turned(part->second);
    if (std::abs(b.y - a.y) > std::abs(b.x - a.x)) {
      steep(a, b, half);
    } else {
      if (a.x > b.x) std::swap(a, b);
      gentle(a, b, half);
    }
  }
}

// At most 45°: in each column, how far each row is from the line.
void LineRaster::gentle(PixelPoint a, PixelPoint b, double half) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double slope = dx > 0 ? dy / dx : 0;
  const double cosine = 1 / std::sqrt(1 + slope * slope);
  const double reach = (half + 0.5) / cosine;
  const int last = std::min(pixel_of(b.x), width_ - 1);
  for (int column = std::max(pixel_of(a.x), 0); column <= last; ++column) {
    const double y = a.y + slope * (std::clamp(column + 0.5, a.x, b.x) - a.x);
    const int from = std::max(pixel_of(y - reach), 0);
    const int to = std::min(1 + pixel_of(y + reach), height_);
    if (from >= to) continue;
    touch(column, from, to);
    std::uint8_t* rows = coverage_.data() + offset(column);
    for (int row = from; row < to; ++row) {
      cover(rows[row], half + 0.5 - std::abs(row + 0.5 - y) * cosine);
    }
  }
}

void LineRaster::steep(PixelPoint a, PixelPoint b, double half) {
  if (a.y > b.y) std::swap(a, b);
  const double slope = (b.x - a.x) / (b.y - a.y);
  const double cosine = 1 / std::sqrt(1 + slope * slope);
  const double reach = (half + 0.5) / cosine;
  const int first = std::max(pixel_of(a.y), 0);
  const int last = std::min(pixel_of(b.y), height_ - 1);
  if (first > last) return;
  const int low = std::max(pixel_of(std::min(a.x, b.x) - reach), 0);
  const int high = std::min(1 + pixel_of(std::max(a.x, b.x) + reach), width_);
  for (int column = low; column < high; ++column) touch(column, first, last + 1);
  for (int row = first; row <= last; ++row) {
    const double x = a.x + slope * (std::clamp(row + 0.5, a.y, b.y) - a.y);
    const int from = std::max(pixel_of(x - reach), 0);
    const int to = std::min(1 + pixel_of(x + reach), width_);
    for (int column = from; column < to; ++column) {
      cover(coverage_[offset(column) + static_cast<std::size_t>(row)],
            half + 0.5 - std::abs(column + 0.5 - x) * cosine);
    }
  }
}

void LineRaster::dot(PixelPoint centre, double radius) {
  const double reach = radius + 0.5;
  if (!(std::abs(centre.x) < 1e6 && std::abs(centre.y) < 1e6)) return;
  const int left = std::max(pixel_of(centre.x - reach), 0);
  const int right = std::min(1 + pixel_of(centre.x + reach), width_);
  const int top = std::max(pixel_of(centre.y - reach), 0);
  const int bottom = std::min(1 + pixel_of(centre.y + reach), height_);
  if (top >= bottom) return;
  for (int column = left; column < right; ++column) {
    touch(column, top, bottom);
    for (int row = top; row < bottom; ++row) {
      cover(coverage_[offset(column) + static_cast<std::size_t>(row)],
            reach - std::hypot(column + 0.5 - centre.x, row + 0.5 - centre.y));
    }
  }
}

void LineRaster::touch(int column, int from, int to) {
  Span& span = touched_[static_cast<std::size_t>(column)];
  span = span.from == span.to ? Span{from, to}
                              : Span{std::min(span.from, from), std::max(span.to, to)};
}

void LineRaster::bar(int column, double top, double bottom) {
  if (column < 0 || column >= width_ || !(top <= bottom)) return;
  if (bottom - top < 1) {
    const double middle = (top + bottom) / 2;
    top = middle - 0.5;
    bottom = middle + 0.5;
  }
  top = std::max(top, 0.0);
  bottom = std::min(bottom, static_cast<double>(height_));
  if (top >= bottom) return;
  const int from = pixel_of(top);
  const int to = std::min(1 + pixel_of(bottom), height_);
  touch(column, from, to);
  std::uint8_t* rows = coverage_.data() + offset(column);
  cover(rows[from], std::min(bottom, from + 1.0) - top);
  if (to - 1 > from) cover(rows[to - 1], bottom - (to - 1));
  if (to - 1 > from + 1) std::fill(rows + from + 1, rows + to - 1, std::uint8_t{255});
}

void LineRaster::blend(std::uint32_t rgb, double alpha) {
  const std::uint32_t solid = 0xFF000000 | rgb;
  const auto strength = static_cast<std::uint32_t>(std::clamp(alpha, 0.0, 1.0) * 255 + 0.5);
  const std::uint32_t full = scaled(solid, strength);
  for (int column = 0; column < width_; ++column) {
    Span& span = touched_[static_cast<std::size_t>(column)];
    std::uint8_t* coverage = coverage_.data() + offset(column);
    std::uint32_t* pixels = picture_.data() + offset(column);
    for (int row = span.from; row < span.to; ++row) {
      const std::uint32_t covered = coverage[row];
      if (covered == 0) continue;
      const std::uint32_t source = covered == 255 ? full : scaled(full, covered);
      pixels[row] = source + scaled(pixels[row], 255 - (source >> 24));
    }
    std::fill(coverage + span.from, coverage + span.to, std::uint8_t{0});
    span = {};
  }
}

void LineRaster::clear() { std::fill(picture_.begin(), picture_.end(), 0U); }

void LineRaster::copy_to(std::uint32_t* pixels, int stride) const {
  constexpr int block = 16;  // columns at a time, so that both sides stay in the cache
  for (int left = 0; left < width_; left += block) {
    const int right = std::min(left + block, width_);
    for (int row = 0; row < height_; ++row) {
      std::uint32_t* out = pixels + static_cast<std::ptrdiff_t>(row) * stride;
      for (int column = left; column < right; ++column) out[column] = pixel(column, row);
    }
  }
}

}  // namespace dt::gui
