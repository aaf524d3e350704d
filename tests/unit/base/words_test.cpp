#include "base/words.h"

#include <gtest/gtest.h>

namespace dt {
namespace {

TEST(Words, ATypingErrorIsNearToWhatWasMeant) {
  const std::vector<std::string> known = {"list", "describe", "wait"};
  EXPECT_EQ(nearest("lsit", known), "list");
  EXPECT_EQ(nearest("decsribe", known), "describe");
  EXPECT_EQ(nearest("remove", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), known), "") << "not worth a look";
}

TEST(Words, OneIsNotMany) {
  EXPECT_EQ(counted(0, "slot"), "0 slots");
  EXPECT_EQ(counted(1, "slot"), "1 slot");
  EXPECT_EQ(counted(2, "slot"), "2 slots");
}

}  // namespace
}  // namespace dt
