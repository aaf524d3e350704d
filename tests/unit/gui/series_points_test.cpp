// The points of a series in the window: tails without gap or double, detail within an overview,
// bands.
#include "gui/data/series_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/cat.h"

namespace dt::gui {
namespace {

SeriesPoint bucket(std::int64_t first, std::int64_t last, double mean = 1) {
  return {.first_step = first,
          .last_step = last,
          .min = mean,
          .max = mean,
          .mean = mean,
          .last = mean,
          .count = last - first + 1,
          .first_time_ms = first * 1000,
          .last_time_ms = last * 1000};
}

std::string steps(const SeriesPoints& points) {
  std::string text;
  for (const SeriesPoint& point : points) {
    text += point.first_step == point.last_step ? cat(point.first_step, " ")
                                                : cat(point.first_step, "-", point.last_step, " ");
  }
  return text;
}

TEST(SeriesData, ATailTakesThePlaceOfTheLastBucket) {
  SeriesData data;
  EXPECT_EQ(data.tail_start(), std::numeric_limits<std::int64_t>::min());
  data.replace({bucket(0, 3), bucket(4, 7), bucket(8, 9)});
  EXPECT_EQ(data.tail_start(), 8);
  data.take_tail(8, {bucket(8, 8), bucket(9, 9), bucket(10, 10), bucket(11, 11)});
  EXPECT_EQ(steps(data.overview()), "0-3 4-7 8 9 10 11 ");
  EXPECT_EQ(data.count(), 12);
}

TEST(SeriesData, ATailNeverBeginsWithinABucket) {
  SeriesData data;
  data.replace({bucket(0, 3), bucket(4, 7), bucket(8, 9)});
  EXPECT_EQ(data.tail_start(6), 4);
  EXPECT_EQ(data.tail_start(4), 4);
  EXPECT_EQ(data.tail_start(20), 20);
  data.take_tail(4, {bucket(4, 5), bucket(6, 11)});
  EXPECT_EQ(steps(data.overview()), "0-3 4-5 6-11 ");
}

TEST(SeriesData, TheSameTailTwiceChangesNothing) {
  SeriesData data;
  data.replace({bucket(0, 3), bucket(4, 5)});
  const SeriesPoints tail{bucket(4, 4), bucket(5, 5), bucket(6, 6)};
  data.take_tail(4, tail);
  data.take_tail(4, tail);
  EXPECT_EQ(steps(data.overview()), "0-3 4 5 6 ");
}

TEST(SeriesData, DetailStandsWithinTheOverviewAndNothingTwice) {
  SeriesData data;
  data.replace({bucket(0, 3), bucket(4, 7), bucket(8, 11), bucket(12, 15)});
  data.set_detail({4, 11},
                  {bucket(4, 4), bucket(5, 5), bucket(6, 7), bucket(8, 9), bucket(10, 11)});
  EXPECT_EQ(steps(data.composed()), "0-3 4 5 6-7 8-9 10-11 12-15 ");
  data.drop_detail();
  EXPECT_EQ(steps(data.composed()), "0-3 4-7 8-11 12-15 ");
}

TEST(SeriesData, ATailReachesIntoTheDetailAsFarAsThatGoes) {
  SeriesData data;
  data.replace({bucket(0, 3), bucket(4, 7)});
  data.set_detail({4, 9}, {bucket(4, 4), bucket(5, 5), bucket(6, 6), bucket(7, 7)});
  data.take_tail(4, {bucket(4, 5), bucket(6, 7), bucket(8, 9), bucket(10, 11)});
  EXPECT_EQ(steps(data.composed()), "0-3 4-5 6-7 8-9 10-11 ");
}

TEST(CurvePoints, OfARawPointAreTheValueItself) {
  SeriesPoint nan = bucket(3, 3);
  nan.last = std::nan("");
  nan.non_finite = 1;
  SeriesPoint infinite = bucket(4, 4);
  infinite.last = INFINITY;
  infinite.non_finite = 1;
  const auto points = curve_points({bucket(1, 2, 5), nan, infinite}, XMode::step, 0);
  EXPECT_EQ(points[0].x, 2);
  EXPECT_EQ(points[0].value, 5);
  EXPECT_TRUE(std::isnan(points[1].value));
  EXPECT_EQ(points[2].value, INFINITY);
}

TEST(CurvePoints, CountTimeFromTheStartThatIsGiven) {
  EXPECT_EQ(curve_points({bucket(7, 7)}, XMode::relative, 2'000)[0].x, 5);
  EXPECT_EQ(curve_points({bucket(7, 7)}, XMode::time, 2'000)[0].x, 7);
}

TEST(Band, IsTheMeanAndTheExtremesOfItsRanks) {
  const SeriesPoints a{bucket(0, 0, 1), bucket(1, 1, 2)};
  const SeriesPoints b{bucket(0, 0, 3), bucket(1, 1, 6), bucket(2, 2, 9)};
  const SeriesPoints band = band_of({&a, &b});
  ASSERT_EQ(steps(band), "0 1 2 ");
  EXPECT_EQ(band[1].mean, 4);
  EXPECT_EQ(band[1].min, 2);
  EXPECT_EQ(band[1].max, 6);
  EXPECT_EQ(band[2].mean, 9);
}

TEST(StepsWithin, ARangeOfTimeAreThoseThatHappenedInIt) {
  const SeriesPoints points{bucket(0, 9), bucket(10, 19), bucket(20, 29), bucket(30, 39)};
  const auto steps_in = steps_within(points, XMode::time, 0, {12, 25});
  ASSERT_TRUE(steps_in.has_value());
  EXPECT_EQ(*steps_in, (StepRange{10, 29}));
  EXPECT_FALSE(steps_within(points, XMode::time, 0, {90, 95}).has_value());
}

}  // namespace
}  // namespace dt::gui
