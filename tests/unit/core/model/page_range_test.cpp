// Pages by offset and limit.
#include "core/model/page_range.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

TEST(PageRange, CountsFromTheEndToo) {
  EXPECT_EQ(*page_range(10, 0, 0), (PageRange{0, 10}));
  EXPECT_EQ(*page_range(10, 3, 4), (PageRange{3, 4}));
  EXPECT_EQ(*page_range(10, 8, 4), (PageRange{8, 2}));
  EXPECT_EQ(*page_range(10, -2, 1), (PageRange{8, 1}));
  EXPECT_EQ(*page_range(0, 0, 5), (PageRange{0, 0}));
  EXPECT_EQ(*page_range(10, 10, 5), (PageRange{10, 0}));
  EXPECT_EQ(page_range(10, 11, 0).status().text(),
            "offset: 11 is outside of a list of 10 (from -10 to 10)");
  EXPECT_FALSE(page_range(10, -11, 0).ok());
  EXPECT_FALSE(page_range(10, 0, -1).ok());
}

}  // namespace
}  // namespace dt::core
