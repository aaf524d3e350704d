#include "shim/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace dt::shim {
namespace {

std::vector<std::string> lines(const std::vector<std::string>& pieces) {
  std::vector<std::string> out;
  LineSplitter splitter;
  const auto keep = [&](std::string text) { out.push_back(std::move(text)); };
  for (const std::string& piece : pieces) splitter.feed(piece, keep);
  splitter.finish(keep);
  return out;
}

using Lines = std::vector<std::string>;

TEST(LineSplitter, SplitsAtNewlinesWhereverThePiecesEnd) {
  EXPECT_EQ(lines({"one\ntw", "o\n", "\nlast"}), (Lines{"one", "two", "", "last"}));
  EXPECT_EQ(lines({}), Lines{});
}

TEST(LineSplitter, AWindowsNewlineIsOneNewline) {
  EXPECT_EQ(lines({"one\r\ntwo\r", "\n"}), (Lines{"one", "two"}));
}

TEST(LineSplitter, AProgressBarLeavesItsLastText) {
  EXPECT_EQ(lines({"10%\r20%\r", "30%\n"}), Lines{"30%"});
  EXPECT_EQ(lines({"10%\r", "\r30%"}), Lines{"30%"});
  EXPECT_EQ(lines({"90%\r100%\r\ndone\n"}), (Lines{"100%", "done"}));
}

TEST(LineSplitter, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(lines({"caf\xe9 \xc3\xa9\n"}), Lines{"caf\xef\xbf\xbd \xc3\xa9"});
}

TEST(LineSplitter, ALongLineIsCutIntoMarkedPieces) {
  const std::string mark(LineSplitter::cut_mark);
  const std::size_t limit = LineSplitter::max_line_bytes;
  const Lines cut = lines({std::string(2 * limit + 5, 'x') + "\n"});
  ASSERT_EQ(cut.size(), 3u);
  EXPECT_EQ(cut[0], std::string(limit, 'x') + mark);
  EXPECT_EQ(cut[1], cut[0]);
  EXPECT_EQ(cut[2], "xxxxx");
}

TEST(LineSplitter, ACutDoesNotSplitACharacter) {
  const std::string text = std::string(LineSplitter::max_line_bytes - 1, 'x') + "\xe2\x82\xac!";
  const Lines cut = lines({text});
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut[1], "\xe2\x82\xac!");
}

}  // namespace
}  // namespace dt::shim
