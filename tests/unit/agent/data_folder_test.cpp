#include "agent/data_folder.h"

#include <gtest/gtest.h>

#include "agent/files.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

TEST(DataFolder, TheAgentsIdStaysTheSame) {
  const TemporaryFolder folder;
  std::string first;
  {
    const DataFolder data = DataFolder::open(folder / "data", std::nullopt).value();
    first = data.load()->agent.value;
    EXPECT_EQ(first.size(), 36u);
    EXPECT_EQ(data.load()->cluster_id, "");
  }
  const DataFolder again = DataFolder::open(folder / "data", std::nullopt).value();
  EXPECT_EQ(again.load()->agent.value, first);
}

TEST(DataFolder, RemembersItsCluster) {
  const TemporaryFolder folder;
  const DataFolder data = DataFolder::open(folder / "data", std::nullopt).value();
  ASSERT_TRUE(data.remember({"c1", 3, 1234567890123}).ok());
  const core::relay::Options options = data.load().value();
  EXPECT_EQ(options.cluster_id, "c1");
  EXPECT_EQ(options.cluster_epoch, 3);
  EXPECT_EQ(options.batch_seen, 1234567890123);
}

TEST(DataFolder, OneAgentAtATimeHoldsIt) {
  const TemporaryFolder folder;
  const auto first = DataFolder::open(folder / "data", std::nullopt);
  EXPECT_FALSE(DataFolder::open(folder / "data", std::nullopt).ok());
}

TEST(DataFolder, ListsTheAllocationsThatHaveAFolder) {
  const TemporaryFolder folder;
  const DataFolder data = DataFolder::open(folder / "data", std::nullopt).value();
  ASSERT_TRUE(make_folder(data.allocation({1, 7}), 0711).ok());
  ASSERT_TRUE(make_folder(data.allocations() + "/other", 0711).ok());
  EXPECT_EQ(data.held(), (std::vector<AllocationId>{{1, 7}}));
}

TEST(DataFolder, ADamagedClusterFileIsNamedNotOverwritten) {
  const TemporaryFolder folder;
  const DataFolder data = DataFolder::open(folder / "data", std::nullopt).value();
  ASSERT_TRUE(replace_file(data.path() + "/cluster.json", "{").ok());
  EXPECT_FALSE(data.load().ok());
}

TEST(Reach, NamesTheFolderThatAUserCannotPass) {
  const TemporaryFolder folder;
  const User stranger{.uid = 54321, .gid = 54321, .groups = {}, .name = "stranger"};
  ASSERT_TRUE(make_folder(folder / "open", 0711).ok());
  EXPECT_EQ(check_reach(folder / "open", stranger), Status());
  ASSERT_TRUE(make_folder(folder / "closed", 0700).ok());
  ASSERT_TRUE(make_folder(folder / "closed/inner", 0755).ok());
  EXPECT_EQ(check_reach(folder / "closed/inner", stranger).message(),
            cat("ranks run as stranger, who cannot pass through ", folder / "closed"));
}

TEST(OpenBelow, OpensFilesAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "a/b", 0755).ok());
  ASSERT_TRUE(replace_file(folder / "a/b/file", "x").ok());
  ASSERT_TRUE(replace_file(folder / "secret", "x").ok());
  std::filesystem::create_symlink(folder / "secret", folder / "a/link");
  std::filesystem::create_directory_symlink(folder / "a/b", folder / "a/way");
  EXPECT_TRUE(open_below(folder / "a", "b/file").ok());
  for (const char* path :
       {"../secret", "/etc/passwd", "", "b/../../secret", "link", "way/file", "b", "missing"}) {
    EXPECT_FALSE(open_below(folder / "a", path).ok()) << path;
  }
}

}  // namespace
}  // namespace dt::agent
