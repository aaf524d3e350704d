// The last so many of a growing list.
#include "base/ring.h"

#include <gtest/gtest.h>

namespace dt {
namespace {

TEST(Ring, KeepsTheNumbersOfWhatIsLeft) {
  Ring<int> ring(3);
  EXPECT_TRUE(ring.read(0, -1).empty());
  for (int i = 0; i < 5; ++i) ring.push(i * 10);
  using Items = std::vector<std::pair<std::int64_t, int>>;
  EXPECT_EQ(ring.read(0, -1), (Items{{2, 20}, {3, 30}, {4, 40}}));
  EXPECT_EQ(ring.read(3, 1), (Items{{3, 30}}));
  EXPECT_EQ(ring.read(-1, 2), (Items{{3, 30}, {4, 40}}));
  EXPECT_EQ(ring.read(-1, 9).size(), 3u);
  EXPECT_TRUE(ring.read(5, -1).empty());
  EXPECT_EQ(ring.end(), 5);
}

}  // namespace
}  // namespace dt
