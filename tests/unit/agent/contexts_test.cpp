#include "agent/contexts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/files.h"
#include "tests/unit/agent/fake_master.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

constexpr std::chrono::hours day{24};

class ContextCache : public testing::Test {
 protected:
  // As if it was used so long ago.
  void add(const std::string& name, std::chrono::hours age) {
    ASSERT_TRUE(make_folder(folder_ / name, 0755).ok());
    std::filesystem::last_write_time(folder_ / name,
                                     std::filesystem::file_time_type::clock::now() - age);
  }

  TemporaryFolder folder_;
  FakeMaster master_;
  client::Client client_{{.address = master_.address(), .token = "t"}};
  Contexts contexts_{folder_.path(), std::nullopt};
  const std::string a_ = std::string(64, 'a');
  const std::string b_ = std::string(64, 'b');
};

TEST_F(ContextCache, ForgetsWhatWasNotUsedForLong) {
  add(a_, 15 * day);
  add(a_ + ".0123456789abcdef.prepared", 20 * day);
  add(b_, 13 * day);
  add(b_ + ".0123456789abcdef.prepared", 20 * day);
  contexts_.remove_unused({}, 14 * day);
  EXPECT_FALSE(exists(folder_ / a_));
  EXPECT_FALSE(exists(folder_ / a_ + ".0123456789abcdef.prepared"));
  EXPECT_TRUE(exists(folder_ / b_));
  EXPECT_TRUE(exists(folder_ / b_ + ".0123456789abcdef.prepared")) << "as old as its context";
}

TEST_F(ContextCache, KeepsWhatIsHeldAndWhatIsNoContext) {
  add(a_, 15 * day);
  add("other", 15 * day);
  contexts_.remove_unused({ContextHash{a_}}, 14 * day);
  EXPECT_TRUE(exists(folder_ / a_));
  EXPECT_TRUE(exists(folder_ / "other"));
}

TEST_F(ContextCache, AFetchCountsAsUse) {
  add(a_, 15 * day);
  EXPECT_EQ(contexts_.fetch(client_, ContextHash{a_}, {}).value(), folder_ / a_);
  contexts_.remove_unused({}, 14 * day);
  EXPECT_TRUE(exists(folder_ / a_));
}

TEST_F(ContextCache, AHashThatIsAPathIsRefused) {
  EXPECT_EQ(contexts_.fetch(client_, ContextHash{"../../etc"}, {}).status().message(),
            "\"../../etc\" is no context hash");
}

TEST_F(ContextCache, AnArchiveThatIsNoneLeavesNothingBehind) {
  const ContextHash hash{master_.add_context("no archive")};
  EXPECT_FALSE(contexts_.fetch(client_, hash, {}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace dt::agent
