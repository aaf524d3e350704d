#include "core/model/paths.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

TEST(Paths, AreNormalised) {
  const std::pair<const char*, const char*> cases[] = {
      {"/a/b", "/a/b"},      {"/a//b/", "/a/b"}, {"/a/./b", "/a/b"}, {"/a/../b", "/b"},
      {"/../a", "/a"},       {"/", "/"},         {"/..", "/"},       {"a/../..", ".."},
      {"a/../../b", "../b"}, {"", "."},          {"a/..", "."},      {"../../a", "../../a"},
  };
  for (const auto& [path, text] : cases) EXPECT_EQ(normalised(path), text) << path;
}

TEST(Paths, LieWithinAFolderOrNot) {
  EXPECT_TRUE(is_within("/tmp/a", "/tmp"));
  EXPECT_TRUE(is_within("/tmp", "/tmp/"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("/tmpa", "/tmp"));
  EXPECT_FALSE(is_within("/tmp/../a", "/tmp"));
}

}  // namespace
}  // namespace dt::core
