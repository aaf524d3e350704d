#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "formats/json.h"
#include "ranks.h"
#include "trial/rank/manifest.h"
#include "trial/rank/safetensors.h"

namespace dt::trial {
namespace {

const std::string numbers("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);  // 1, 2

TEST(Safetensors, ReadsWhatItWrote) {
  const TempFolder folder;
  const NamedTensors tensors = {{"a", {"F32", {2, 1}, numbers}}, {"empty", {"I64", {0, 3}, ""}}};
  const auto file = write_safetensors(folder.path(), "x.safetensors", tensors);
  ASSERT_TRUE(file.ok()) << file.status().text();
  const auto text = read_verified(folder.path(), *file);
  ASSERT_TRUE(text.ok()) << text.status().text();
  const auto read = parse_safetensors(*text);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(*read, tensors);
}

// The bytes that the reference implementation writes for the same tensor, up to key order.
TEST(Safetensors, HasTheFormatOfTheSpecification) {
  const TempFolder folder;
  ASSERT_TRUE(write_safetensors(folder.path(), "x", {{"a", {"F32", {2}, numbers}}}).ok());
  const std::string header = R"({"a":{"data_offsets":[0,8],"dtype":"F32","shape":[2]}})";
  std::string expected(8, '\0');
  expected[0] = 56;
  EXPECT_EQ(*read_file(folder.path() + "/x"),
            expected + header + std::string(56 - header.size(), ' ') + numbers);
}

std::string file_with(const std::string& header, const std::string& data) {
  std::string out(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + data;
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  const auto error = [](const std::string& text) {
    return parse_safetensors(text).status().text();
  };
  EXPECT_EQ(error("abc"), "a safetensors file of 3 bytes");
  EXPECT_EQ(error(std::string(8, '\x7f')),
            "a safetensors header of 9187201950435737471 bytes in a file of 8");
  EXPECT_EQ(error(file_with(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,12]}})", numbers)),
            "safetensors entry 'a' has a wrong data_offsets");
  EXPECT_EQ(error(file_with(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", numbers)),
            "safetensors entry 'a' has a wrong data_offsets");
  EXPECT_EQ(error(file_with(
                R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
                numbers)),
            "safetensors entry 'a' has a wrong shape");
  EXPECT_EQ(error(file_with(R"({"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", numbers)),
            "safetensors entry 'a' has a wrong dtype");
}

TEST(Manifest, ReadsWhatItWrote) {
  Manifest manifest;
  manifest.step = 12;
  manifest.position = {1, 34};
  manifest.samples = 100;
  manifest.seed = 4'000'000'000;
  manifest.size = 2;
  manifest.loss = std::numeric_limits<double>::infinity();
  manifest.optimizer = *parse_json(R"({"type":"SGD"})");
  manifest.trial_state = "mine";
  manifest.files = {{"a", 3, "00"}};
  const auto again = parse_manifest(*parse_json(to_json(to_value(manifest))));
  ASSERT_TRUE(again.ok()) << again.status().text();
  EXPECT_EQ(*again, manifest);
}

TEST(Manifest, RefusesAnotherFormat) {
  EXPECT_EQ(parse_manifest(*parse_json(R"({"format":2})")).status().text(),
            "checkpoint format 2 is not the one this program reads (1)");
}

TEST(Files, APublishedFolderReplacesNothingHalfway) {
  const TempFolder folder;
  const std::string temporary = folder.path() + "/.id.partial";
  ASSERT_TRUE(make_fresh_folder(temporary).ok());
  ASSERT_TRUE(FileWriter::create(temporary, "a").ok());
  ASSERT_TRUE(publish_folder(temporary, folder.path() + "/id").ok());
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"id"});
}

TEST(Files, UuidsAreOfVersionFour) {
  const std::string uuid = random_uuid();
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(uuid, random_uuid());
}

}  // namespace
}  // namespace dt::trial
