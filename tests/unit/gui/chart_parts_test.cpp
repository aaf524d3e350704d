// What a chart is made of: pixel columns, smoothing, ticks, labels, and the raster.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gui/widgets/chart_labels.h"
#include "gui/widgets/chart_ticks.h"
#include "gui/widgets/curve_columns.h"
#include "gui/widgets/line_raster.h"

namespace dt::gui {
namespace {

std::vector<CurvePoint> points_of(const std::vector<double>& values) {
  std::vector<CurvePoint> points;
  for (const double value : values) {
    const auto x = static_cast<double>(points.size());
    points.push_back({.x = x,
                      .value = value,
                      .min = value,
                      .max = value,
                      .non_finite = std::isfinite(value) ? 0 : 1});
  }
  return points;
}

std::string labels_of(const std::vector<Tick>& ticks) {
  QStringList labels;
  for (const Tick& tick : ticks) {
    if (!tick.label.isEmpty()) labels << tick.label;
  }
  return labels.join(QLatin1Char(' ')).toStdString();
}

TEST(CurveColumns, ASpikeOfOnePointInAMillionIsTheExtremeOfItsColumn) {
  std::vector<double> values(1'000'000, 1.0);
  values[654'321] = 50;
  const auto points = points_of(values);
  for (const double width : {1.0, 37.0, 1000.0, 250'000.0}) {
    double highest = 0;
    for (const CurveColumn& column : columns_of(points, {}, {0, 1e6}, width)) {
      highest = std::max(highest, column.max);
    }
    EXPECT_EQ(highest, 50) << width;
  }
}

TEST(CurveColumns, AreTheSameWhereverTheRangeBegins) {
  std::mt19937 random(1);
  std::vector<double> values(5'000);
  for (double& value : values) value = std::uniform_real_distribution<double>()(random);
  const auto points = points_of(values);
  const auto whole = columns_of(points, {}, {0, 5'000}, 16);
  const auto part = columns_of(points, {}, {1'003, 3'997}, 16);
  for (std::size_t i = 1; i + 1 < part.size(); ++i) {  // those at the edges are cut
    EXPECT_NE(std::find(whole.begin(), whole.end(), part[i]), whole.end()) << i;
  }
}

TEST(CurveColumns, KeepOnePointBeyondEachEdgeSoThatLinesRunOut) {
  const auto columns = columns_of(points_of({1, 2, 3, 4, 5, 6}), {}, {1.5, 3.5}, 0.01);
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns.front().x, 1);
  EXPECT_EQ(columns.back().x, 4);
}

TEST(CurveColumns, CountNaNAndInfinitiesApartAndLeaveThemOutOfTheMean) {
  const double nan = std::nan("");
  const auto columns = columns_of(points_of({1, nan, INFINITY, -INFINITY, 3}), {}, {0, 5}, 100);
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_EQ(columns[0].value, 2);
  EXPECT_EQ(columns[0].not_a_number, 1);
  EXPECT_EQ(columns[0].above, 1);
  EXPECT_EQ(columns[0].below, 1);
  EXPECT_TRUE(std::isnan(columns_of(points_of({nan}), {}, {0, 1}, 1)[0].value));
}

TEST(CurveColumns, AMeanOfHugeValuesIsFinite) {
  const auto columns = columns_of(points_of({1.7e308, 1.7e308}), {}, {0, 5}, 100);
  EXPECT_EQ(columns[0].value, 1.7e308);
}

TEST(Smoothing, StartsAtTheFirstValueAndNotAtZero) {
  const auto smooth = smoothed(points_of({4, 4, 4, 8}), 0.9);
  EXPECT_DOUBLE_EQ(smooth[0], 4);
  EXPECT_DOUBLE_EQ(smooth[2], 4);
  EXPECT_GT(smooth[3], 4);
  EXPECT_LT(smooth[3], 8);
}

TEST(Smoothing, TakesABucketAsSoManyPoints) {
  std::vector<CurvePoint> bucket{{.x = 9, .value = 2, .min = 2, .max = 2, .count = 10}};
  bucket.push_back({.x = 10, .value = 5, .min = 5, .max = 5});
  std::vector<double> raw(10, 2.0);
  raw.push_back(5);
  EXPECT_NEAR(smoothed(bucket, 0.8).back(), smoothed(points_of(raw), 0.8).back(), 1e-12);
}

TEST(Smoothing, PassesOverWhatIsNotFinite) {
  const auto smooth = smoothed(points_of({1, std::nan(""), INFINITY, 1}), 0.5);
  EXPECT_TRUE(std::isnan(smooth[1]));
  EXPECT_DOUBLE_EQ(smooth[3], 1);
}

TEST(Ticks, AreRoundNumbersWithEqualDecimals) {
  EXPECT_EQ(labels_of(number_ticks({0, 1}, 5)), "0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels_of(number_ticks({-30, 10'200}, 4)), "0 5,000 10,000");
  EXPECT_EQ(labels_of(number_ticks({1e9, 1.0002e9}, 2)), "1.0000e9 1.0001e9 1.0002e9");
  EXPECT_EQ(labels_of(number_ticks({0, 3e-5}, 3)), "0 1e-5 2e-5 3e-5");
  EXPECT_TRUE(number_ticks({2, 2}, 5).empty());
  EXPECT_LE(number_ticks({-1e308, 1e308}, 5).size(), 200U);
}

TEST(Ticks, OfALogAxisAreDecadesOrPlainNumbersWithinOne) {
  EXPECT_EQ(labels_of(log_ticks({-6, 0}, 6)), "1e-6 1e-5 1e-4 0.001 0.01 0.1 1");
  EXPECT_EQ(labels_of(log_ticks({std::log10(0.2), std::log10(0.9)}, 4)), "0.2 0.4 0.6 0.8");
}

TEST(Ticks, OfDurationsAreRoundHoursAndMinutes) {
  EXPECT_EQ(labels_of(duration_ticks({0, 7'200}, 4)), "0 00:30 01:00 01:30 02:00");
  EXPECT_EQ(labels_of(duration_ticks({0, 60}, 4)), "0 00:00:15 00:00:30 00:00:45 00:01:00");
}

TEST(Labels, StandApartAndAsNearToTheirLinesAsCanBe) {
  EXPECT_EQ(pushed_apart({10, 100, 50}, 16, 0, 200), (std::vector<double>{10, 100, 50}));
  EXPECT_EQ(pushed_apart({50, 50}, 16, 0, 200), (std::vector<double>{42, 58}));
  EXPECT_EQ(pushed_apart({195, 196, 197}, 16, 0, 200), (std::vector<double>{152, 168, 184}));
}

TEST(Labels, NeverOverlapWhileThereIsRoom) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wanted(8);
    for (double& at : wanted) at = std::uniform_real_distribution<double>(-20, 320)(random);
    auto places = pushed_apart(wanted, 17, 0, 300);
    std::sort(places.begin(), places.end());
    EXPECT_GE(places.front(), -1e-9);
    EXPECT_LE(places.back(), 300 - 17 + 1e-9);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 17 - 1e-9);
  }
}

int alpha(const LineRaster& raster, int x, int y) {
  return static_cast<int>(raster.pixel(x, y) >> 24);
}

TEST(LineRaster, ALineCoversAsMuchAsItIsWideWhateverItsSlope) {
  for (const double slope : {0.0, 0.3, 1.0, 3.0, 40.0}) {
    LineRaster raster(200, 200);
    const double length = 100;
    const double dx = length / std::sqrt(1 + slope * slope);
    const std::vector<PixelPoint> line{{50.2, 50.3}, {50.2 + dx, 50.3 + dx * slope}};
    raster.line(line, 2);
    raster.blend(0x336699, 1);
    double covered = 0;
    for (int x = 0; x < 200; ++x) {
      for (int y = 0; y < 200; ++y) covered += alpha(raster, x, y) / 255.0;
    }
    EXPECT_NEAR(covered, 2 * length, 6) << slope;
  }
}

TEST(LineRaster, TakesPointsFarOutsideAndNonsenseWithoutHarm) {
  LineRaster raster(50, 40);
  raster.line(std::vector<PixelPoint>{{-1e9, 20}, {1e9, 20}}, 1.5);
  raster.line(std::vector<PixelPoint>{{20, -1e12}, {21, 1e12}}, 1.5);
  raster.line(std::vector<PixelPoint>{{std::nan(""), 1}, {3, 4}}, 1.5);
  raster.bar(10, -5, 400);
  raster.bar(-3, 1, 2);
  raster.dot({1e9, 3}, 3);
  raster.dot({0, 0}, 3);
  raster.blend(0xFF0000, 1);
  EXPECT_EQ(alpha(raster, 40, 19), 191);  // three quarters of the row
  EXPECT_EQ(alpha(raster, 10, 0), 255);
  EXPECT_EQ(alpha(raster, 10, 39), 255);
  EXPECT_EQ(alpha(raster, 45, 5), 0);
}

TEST(LineRaster, BlendsOneCurveOverAnother) {
  LineRaster raster(4, 4);
  raster.bar(1, 0, 4);
  raster.blend(0x0000FF, 1);
  raster.bar(1, 0, 4);
  raster.blend(0xFF0000, 0.5);
  EXPECT_EQ(raster.pixel(1, 2), 0xFF80007FU);
  std::vector<std::uint32_t> rows(16);
  raster.copy_to(rows.data(), 4);
  EXPECT_EQ(rows[2 * 4 + 1], 0xFF80007FU);
  EXPECT_EQ(rows[2 * 4 + 2], 0U);
}

}  // namespace
}  // namespace dt::gui
