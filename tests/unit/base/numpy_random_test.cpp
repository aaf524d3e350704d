#include "base/numpy_random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace dt {
namespace {

std::vector<std::int64_t> integers(NumpyRandom random, std::int64_t low, std::int64_t high,
                                   int count) {
  std::vector<std::int64_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(random.integer(low, high));
  return drawn;
}

// The expected numbers of the next four tests are numpy's own.
TEST(NumpyRandom, DrawsTheBitsOfTheMersenneTwister) {
  NumpyRandom random(5489);  // the seed of the authors' reference output
  EXPECT_EQ(random.bits32(), 3499211612u);
  EXPECT_EQ(random.bits32(), 581869302u);
  for (int i = 2; i < 9999; ++i) random.bits32();
  EXPECT_EQ(random.bits32(), 4123659995u);  // the 10,000th, as C++'s standard has it
}

TEST(NumpyRandom, DrawsIntegersByMaskedRejection) {
  EXPECT_EQ(integers(NumpyRandom(42), 0, 10, 6), (std::vector<std::int64_t>{6, 3, 7, 4, 6, 9}));
  EXPECT_EQ(integers(NumpyRandom(84), -10, 10, 5), (std::vector<std::int64_t>{0, 7, 4, 3, -10}));
}

TEST(NumpyRandom, DrawsTwoWordsForRangesBeyond32Bits) {
  const std::int64_t high = std::int64_t{1} << 62;
  EXPECT_EQ(integers(NumpyRandom(5678), -high, high, 2),
            (std::vector<std::int64_t>{4414803568701470871, -3517195591178331246}));
}

TEST(NumpyRandom, DrawsUniformDoubles) {
  NumpyRandom random(1);
  EXPECT_EQ(random.uniform(0, 1), 0.417022004702574);
  EXPECT_EQ(random.uniform(0, 1), 0.7203244934421581);
  NumpyRandom wide(456789);
  EXPECT_EQ(wide.uniform(-8e307, 8e307), 4.933395252151545e+307);
}

TEST(NumpyRandom, StaysInRangeWhereTheWidthOverflows) {
  const double huge = std::numeric_limits<double>::max();
  NumpyRandom random(7);
  int negative = 0;
  for (int i = 0; i < 1000; ++i) {
    const double drawn = random.uniform(-huge, huge);
    ASSERT_TRUE(std::isfinite(drawn));
    negative += drawn < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 400);
  EXPECT_LT(negative, 600);
}

TEST(NumpyRandom, CoversTheWholeOfInt64) {
  const auto low = std::numeric_limits<std::int64_t>::min();
  const auto high = std::numeric_limits<std::int64_t>::max();
  int negative = 0;
  for (const std::int64_t drawn : integers(NumpyRandom(3), low, high, 1000)) {
    ASSERT_LT(drawn, high);
    negative += drawn < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 400);
  EXPECT_LT(negative, 600);
}

TEST(NumpyRandom, DrawsNothingForARangeOfOneInteger) {
  NumpyRandom random(9), untouched(9);
  EXPECT_EQ(random.integer(5, 6), 5);
  EXPECT_EQ(random, untouched);
}

TEST(NumpyRandom, ShufflesAsNumpyDoesAndGoesOn) {
  NumpyRandom random(777);
  std::vector<int> first(5), second(5);
  std::iota(first.begin(), first.end(), 0);
  std::iota(second.begin(), second.end(), 0);
  random.shuffle(first);
  random.shuffle(second);
  EXPECT_EQ(first, (std::vector<int>{0, 4, 1, 2, 3}));
  EXPECT_EQ(second, (std::vector<int>{2, 0, 1, 3, 4}));
}

TEST(NumpyRandom, ShufflesTheEmptyAndTheSingleListWithoutADraw) {
  NumpyRandom random(1), untouched(1);
  std::vector<int> none, one{7};
  random.shuffle(none);
  random.shuffle(one);
  EXPECT_EQ(random, untouched);
}

TEST(NumpyRandom, ContinuesTheSameStreamFromASnapshotAtAnyPlace) {
  for (const int drawn : {0, 1, 623, 624, 625, 5000}) {
    NumpyRandom random(123);
    for (int i = 0; i < drawn; ++i) random.bits32();
    NumpyRandom other(0);
    ASSERT_TRUE(other.restore(random.snapshot()).ok());
    for (int i = 0; i < 1300; ++i) ASSERT_EQ(other.bits32(), random.bits32()) << "after " << drawn;
  }
}

TEST(NumpyRandom, RefusesASnapshotThatIsNoneAndStaysAsItWas) {
  NumpyRandom random(5);
  const NumpyRandom before = random;
  Value short_key = random.snapshot();
  short_key.set("key", Value::Array{1, 2, 3});
  Value wild_position = random.snapshot();
  wild_position.set("position", 625);
  Value negative_word = random.snapshot();
  Value::Array words = negative_word["key"].as_array();
  words[10] = -1;
  negative_word.set("key", words);
  for (const Value& bad : {Value(), short_key, wild_position}) {
    EXPECT_EQ(random.restore(bad).message(),
              "snapshot of a random stream needs 'key' of 624 words and 'position' in it");
  }
  EXPECT_EQ(random.restore(negative_word).message(),
            "word 10 of a random stream's snapshot is no 32-bit integer");
  EXPECT_EQ(random, before);
}

}  // namespace
}  // namespace dt
