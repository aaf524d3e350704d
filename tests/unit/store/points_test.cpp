#include "master/store/points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dt::master {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

// "1:5 2:6": step and value.
std::string text(const std::vector<SeriesPoint>& points) {
  std::string out;
  for (const SeriesPoint& point : points) {
    out += cat(out.empty() ? "" : " ", point.step, ":", point.value);
  }
  return out;
}

Chunk chunk(int attempt, const std::vector<SeriesPoint>& points) {
  Chunk out{.attempt = attempt};
  for (const SeriesPoint& point : points) append(out, point.step, 0, point.value, {});
  return out;
}

std::vector<SeriesPoint> line(int count) {
  std::vector<SeriesPoint> points;
  for (int i = 0; i < count; i++) points.push_back({i, static_cast<double>(i)});
  return points;
}

TEST(Deltas, GoThereAndBack) {
  const std::vector<std::int64_t> numbers = {most, most, 0, -5, least + 5, 0, 1};
  EXPECT_EQ(numbers, sums_of(*deltas_of(numbers)));
}

TEST(Deltas, ThatDoNotFitAreRefused) {
  EXPECT_EQ(std::nullopt, deltas_of({most, least}));
  EXPECT_EQ(std::nullopt, deltas_of({-2, most}));
  EXPECT_FALSE(can_follow(chunk(1, {{most, 0}}), -2, 0));
  EXPECT_TRUE(can_follow(chunk(1, {{most, 0}}), -1, 0));
}

TEST(EffectivePoints, OfOneAttemptAreAllOfItsSteps) {
  EXPECT_EQ("1:10 2:20 3:30",
            text(effective_points({{1, std::nullopt}}, {chunk(1, {{1, 10}, {2, 20}, {3, 30}})})));
}

TEST(EffectivePoints, OfOneStepAreTheLastWritten) {
  EXPECT_EQ("1:12 2:20", text(effective_points({{1, 0}}, {chunk(1, {{1, 10}, {2, 20}, {1, 11}}),
                                                          chunk(1, {{1, 12}})})));
}

TEST(EffectivePoints, AboveTheStartOfALaterAttemptAreHidden) {
  EXPECT_EQ("1:10 2:20 3:33",
            text(effective_points({{1, 0}, {2, 2}}, {chunk(1, {{1, 10}, {2, 20}, {3, 30}, {4, 40}}),
                                                     chunk(2, {{3, 33}})})));
}

TEST(EffectivePoints, BeforeAnAttemptThatStartsAnewAreAllHidden) {
  EXPECT_EQ("5:2",
            text(effective_points({{1, 0}, {2, std::nullopt}},
                                  {chunk(1, {{-1, 1}, {0, 1}, {9, 1}}), chunk(2, {{5, 2}})})));
}

TEST(EffectivePoints, StayHiddenWhenAThirdAttemptStartsHigher) {
  EXPECT_EQ("1:1 2:2 3:2 4:3",
            text(effective_points({{1, 0}, {2, 1}, {3, 3}},
                                  {chunk(1, {{1, 1}, {2, 1}, {3, 1}, {4, 1}}),
                                   chunk(2, {{2, 2}, {3, 2}, {4, 2}}), chunk(3, {{4, 3}})})));
}

TEST(EffectivePoints, SharedByTwoAttemptsAreTheLatersOwn) {
  EXPECT_EQ("1:2 2:2", text(effective_points({{1, 0}, {2, 2}}, {chunk(1, {{1, 1}, {2, 1}}),
                                                                chunk(2, {{1, 2}, {2, 2}})})));
}

TEST(Buckets, OfFewPointsAreThePoints) {
  const std::vector<Bucket> buckets = buckets_of(line(5), 5);
  ASSERT_EQ(5u, buckets.size());
  EXPECT_EQ(3, buckets[3].first_step);
  EXPECT_EQ(3, buckets[3].mean);
}

TEST(Buckets, KeepASpikeAndBothEnds) {
  std::vector<SeriesPoint> points = line(100'000);
  points[77'777].value = 1e9;
  points[12'345].value = -1e9;
  const std::vector<Bucket> buckets = buckets_of(points, 100);
  EXPECT_LE(buckets.size(), 100u);
  double min = infinity, max = -infinity;
  std::int64_t count = 0;
  for (const Bucket& bucket : buckets) {
    min = std::min(min, bucket.min);
    max = std::max(max, bucket.max);
    count += bucket.count;
  }
  EXPECT_EQ(1e9, max);
  EXPECT_EQ(-1e9, min);
  EXPECT_EQ(100'000, count);
  EXPECT_EQ(0, buckets.front().first_step);
  EXPECT_EQ(99'999, buckets.back().last_step);
  EXPECT_EQ(99'999, buckets.back().last);
}

TEST(Buckets, CountWhatIsNotFiniteApart) {
  const std::vector<SeriesPoint> points = {{0, 1}, {1, std::nan("")}, {2, infinity}, {3, 3}};
  const Bucket bucket = buckets_of(points, 1).front();
  EXPECT_EQ(4, bucket.count);
  EXPECT_EQ(2, bucket.non_finite);
  EXPECT_EQ("1 3 2", cat(bucket.min, " ", bucket.max, " ", bucket.mean));
}

TEST(Buckets, WithoutAnyFiniteValueHaveNoNumbers) {
  const Bucket bucket = buckets_of({{0, infinity}, {1, infinity}}, 1).front();
  EXPECT_TRUE(std::isnan(bucket.min) && std::isnan(bucket.max) && std::isnan(bucket.mean));
  EXPECT_EQ(infinity, bucket.first);
}

TEST(Buckets, HaveAMeanEvenOfHugeValues) {
  const Bucket bucket = buckets_of({{0, 1.7e308}, {1, 1.7e308}, {2, -1.7e308}}, 1).front();
  EXPECT_NEAR(1.7e308 / 3, bucket.mean, 1e295);
}

TEST(Buckets, StayWhereTheyAreWhileASeriesGrows) {
  const std::vector<Bucket> before = buckets_of(line(1000), 100);
  const std::vector<Bucket> after = buckets_of(line(1010), 100);
  for (std::size_t i = 0; i + 1 < before.size(); i++) {
    EXPECT_EQ(before[i].first_step, after[i].first_step);
    EXPECT_EQ(before[i].last_step, after[i].last_step);
  }
}

TEST(Buckets, CoverTheWholeRangeOfSteps) {
  const std::vector<SeriesPoint> points = {{least, 1}, {-1, 2}, {0, 3}, {most, 4}};
  for (const int limit : {1, 2, 3}) {
    const std::vector<Bucket> buckets = buckets_of(points, limit);
    EXPECT_LE(buckets.size(), static_cast<std::size_t>(limit));
    EXPECT_EQ(least, buckets.front().first_step);
    EXPECT_EQ(most, buckets.back().last_step);
  }
}

TEST(Buckets, OfNothingAreNone) { EXPECT_TRUE(buckets_of({}, 10).empty()); }

}  // namespace
}  // namespace dt::master
