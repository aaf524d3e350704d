#include "base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Number, IsReadFromANumberOrOneOfThreeWords) {
  EXPECT_TRUE(std::isnan(*number_of("NaN")));
  EXPECT_EQ(number_of("-Infinity"), -infinity);
  EXPECT_EQ(number_of("Infinity"), infinity);
  EXPECT_EQ(number_of(3), 3.0);
  EXPECT_EQ(number_of(-0.5), -0.5);
}

TEST(Number, IsNothingElse) {
  for (const Value& other : {Value("3"), Value("nan"), Value(""), Value(true), Value(),
                             Value(Value::Object{{"type", "text"}})}) {
    EXPECT_EQ(number_of(other), std::nullopt) << other.type_name();
  }
}

TEST(Number, ComesBackAsItWas) {
  for (const double number : {0.1, -infinity, infinity, 0.0}) {
    EXPECT_EQ(number_of(value_of_number(number)), number);
  }
  EXPECT_EQ(value_of_number(std::nan("1")), value_of_number(std::nan("2")));
}

}  // namespace
}  // namespace dt
