#include "agent/checkpoints.h"

#include <gtest/gtest.h>

#include "agent/files.h"
#include "tests/unit/agent/fake_master.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

using Kind = core::CheckpointStorageConfig::Kind;

core::CheckpointFile file(const std::string& path, const std::string& text) {
  return {
      .path = path, .bytes = static_cast<std::int64_t>(text.size()), .sha256 = sha256_hex(text)};
}

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    place_ = {.storage = {}, .written = folder_ / "written", .fetched = folder_ / "fetched"};
    write("c1/model", "weights");
    write("c1/state/rank_0", "momentum");
  }

  void write(const std::string& path, const std::string& text) {
    const std::string whole = place_.written + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    ASSERT_TRUE(replace_file(whole, text).ok());
  }
  Status upload(const std::vector<core::CheckpointFile>& files) {
    return upload_part(client_, place_, {1, 7}, CheckpointId{"c1"}, 0, files, {});
  }
  Status fetch(const std::vector<core::CheckpointFile>& files) {
    return fetch_checkpoint(client_, place_, {.id = CheckpointId{"c1"}, .files = files}, {});
  }
  void store_in_folder() { place_.storage = {.kind = Kind::directory, .path = folder_ / "store"}; }

  TemporaryFolder folder_;
  FakeMaster master_;
  client::Client client_{{.address = master_.address(), .token = "t"}};
  CheckpointPlace place_;
  std::vector<core::CheckpointFile> files_{file("model", "weights"),
                                           file("state/rank_0", "momentum")};
};

TEST_F(Checkpoints, GoToTheMasterAndComeBack) {
  ASSERT_EQ(upload(files_), Status());
  ASSERT_EQ(master_.parts().size(), 1u);
  EXPECT_EQ(master_.parts()[0].checkpoint_id(), "c1");
  EXPECT_EQ(master_.parts()[0].failure(), "");
  EXPECT_EQ(master_.blob(files_[1].sha256), "momentum");
  EXPECT_FALSE(exists(place_.written + "/c1")) << "the node's copy is not needed any more";
  ASSERT_EQ(fetch(files_), Status());
  EXPECT_EQ(read_file(place_.fetched + "/state/rank_0").value(), "momentum");
}

TEST_F(Checkpoints, UploadedTwiceAreStoredAgainWithoutTheirFiles) {
  ASSERT_EQ(upload(files_), Status());
  ASSERT_EQ(upload(files_), Status());
  ASSERT_EQ(master_.parts().size(), 2u);
  EXPECT_EQ(master_.parts()[1].failure(), "");
}

TEST_F(Checkpoints, AMissingFileIsToldAsThePartsFailure) {
  files_.push_back(file("gone", "x"));
  ASSERT_EQ(upload(files_), Status());
  EXPECT_EQ(master_.parts()[0].failure(),
            cat("cannot open ", place_.written, "/c1/gone: No such file or directory"));
}

TEST_F(Checkpoints, AFileThatChangedIsToldAsThePartsFailure) {
  write("c1/model", "other weights");
  ASSERT_EQ(upload(files_), Status());
  EXPECT_EQ(master_.parts()[0].failure(), "the blob has another hash");
}

TEST_F(Checkpoints, ALinkOutOfTheFolderIsNotFollowed) {
  ASSERT_TRUE(replace_file(folder_ / "secret", "root's").ok());
  std::filesystem::create_symlink(folder_ / "secret", place_.written + "/c1/stolen");
  const core::CheckpointFile stolen = file("stolen", "root's");
  ASSERT_EQ(upload({stolen}), Status());
  EXPECT_NE(master_.parts()[0].failure(), "");
  EXPECT_EQ(master_.blob(stolen.sha256), "");
}

TEST_F(Checkpoints, AWrongBlobIsNotResumedFrom) {
  master_.add_blob("weights");
  core::CheckpointFile longer = file("model", "weights");
  longer.bytes = 8;
  EXPECT_EQ(fetch({longer}).message(), "checkpoint file model has 7 bytes, not 8");
}

TEST_F(Checkpoints, GoToAFolderAndAreVerifiedThere) {
  store_in_folder();
  ASSERT_EQ(upload(files_), Status());
  EXPECT_EQ(master_.parts()[0].failure(), "");
  EXPECT_EQ(read_file(folder_ / "store/c1/state/rank_0").value(), "momentum");
  EXPECT_EQ(fetch(files_), Status());
  EXPECT_EQ(checkpoint_folder(place_, CheckpointId{"c1"}), folder_ / "store/c1");
  ASSERT_TRUE(replace_file(folder_ / "store/c1/model", "weighty").ok());
  EXPECT_EQ(fetch(files_).code(), Code::data_loss);
}

TEST_F(Checkpoints, AFolderTakesAPartTwice) {
  store_in_folder();
  ASSERT_EQ(upload(files_), Status());
  ASSERT_EQ(upload(files_), Status());
  EXPECT_EQ(master_.parts()[1].failure(), "");
}

TEST_F(Checkpoints, AreTriedAgainWhileTheMasterIsAway) {
  const client::Client nobody({.address = "127.0.0.1:1", .token = "t"});
  std::stop_source stop;
  stop.request_stop();  // so that no time is spent on retries
  const Status status =
      upload_part(nobody, place_, {1, 7}, CheckpointId{"c1"}, 0, files_, stop.get_token());
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(exists(place_.written + "/c1/model"));
}

}  // namespace
}  // namespace dt::agent
