// Paints antialiased lines and min–max bars, a hundred curves within one frame. A chart's curves
// are functions of x, so the picture is kept column by column: bars are runs of memory, and a line
// costs a few pixels a column. What one curve covers is collected first and blended once, so its
// joins have no dark dots. The cost goes with pixels, not with points. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dt::gui {

struct PixelPoint {  // device pixels; the centre of the first pixel is (0.5, 0.5)
  double x = 0;
  double y = 0;
};

class LineRaster {
 public:
  LineRaster(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }

  // Collects a line through the points, with round joins. At most one line's width at a time.
  void line(std::span<const PixelPoint> points, double line_width);
  void dot(PixelPoint centre, double radius);
  // Collects column `column` from `top` to `bottom`, at least a pixel high.
  void bar(int column, double top, double bottom);
  // Lays what was collected over the picture. `rgb` is 0xRRGGBB, `alpha` 0…1.
  void blend(std::uint32_t rgb, double alpha);
  void clear();

  // Premultiplied ARGB, row by row, `stride` pixels a row.
  void copy_to(std::uint32_t* pixels, int stride) const;
  std::uint32_t pixel(int x, int y) const {
    return picture_[offset(x) + static_cast<std::size_t>(y)];
  }

 private:
  struct Span {  // rows of a column that hold coverage
    int from = 0;
    int to = 0;
  };

  std::size_t offset(int column) const {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(height_);
  }
  void gentle(PixelPoint a, PixelPoint b, double half);
  void steep(PixelPoint a, PixelPoint b, double half);
  void touch(int column, int from, int to);

  int width_;
  int height_;
  std::vector<std::uint32_t> picture_;
  std::vector<std::uint8_t> coverage_;
  std::vector<Span> touched_;
};

}  // namespace dt::gui
