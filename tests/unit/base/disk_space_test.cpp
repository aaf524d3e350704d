#include "base/disk_space.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <regex>

namespace dt {
namespace {

TEST(NoSpaceLeft, NamesTheFolderWhatIsFreeThereAndTheWayOut) {
  const Status file = no_space_left("cannot write the spool", "/proc/self/status");
  EXPECT_EQ(file.code(), Code::resource_exhausted);
  EXPECT_EQ(file.text(),
            "cannot write the spool: no space left in /proc/self, 0 bytes free (free space there; "
            "work goes on by itself)");
  const std::string folder = no_space_left("x", "/tmp").message();
  EXPECT_TRUE(std::regex_match(folder, std::regex("x: no space left in /tmp, \\d+ bytes free")))
      << folder;
}

TEST(NoSpaceLeft, SaysWhatItCanOfAFolderThatIsGone) {
  EXPECT_EQ(no_space_left("x", "/nowhere/at/all").message(), "x: no space left in /nowhere/at");
}

TEST(NoSpaceLeft, IsAFullDiskOrAQuotaThatIsUsedUp) {
  EXPECT_TRUE(is_no_space(ENOSPC));
  EXPECT_TRUE(is_no_space(EDQUOT));
  EXPECT_FALSE(is_no_space(EIO));
}

}  // namespace
}  // namespace dt
