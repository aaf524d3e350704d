#include "formats/spool.h"

#include <gtest/gtest.h>

#include "formats/json.h"

namespace dt {
namespace {

Value record(std::int64_t seq) {
  return Value::Object{{"seq", seq}, {"text", "two\nlines and \"quotes\""}};
}

std::string text(const SpoolScan& scan) {
  std::string out;
  for (const auto& line : scan.lines) out += std::to_string(line.record["seq"].as_int()) + " ";
  return out + (scan.damaged ? "damaged" : "good");
}

TEST(Spool, TheSumIsTheOneOfZlib) { EXPECT_EQ(crc32("123456789"), 0xcbf43926u); }

TEST(Spool, ARecordIsOneLineAndReadsBackEqual) {
  const std::string line = spool_line(record(1));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const SpoolScan scan = scan_spool(line);
  ASSERT_EQ(scan.lines.size(), 1u);
  EXPECT_EQ(scan.lines[0].record, record(1));
  EXPECT_EQ(scan.lines[0].end, line.size());
}

TEST(Spool, AnUnfinishedLineIsReadOnceItIsThere) {
  const std::string whole = spool_line(record(1)) + spool_line(record(2));
  const std::size_t first = spool_line(record(1)).size();
  for (std::size_t cut = first; cut < whole.size(); ++cut) {
    const SpoolScan scan = scan_spool(std::string_view(whole).substr(0, cut));
    EXPECT_EQ(text(scan), "1 good") << cut;
    EXPECT_EQ(scan.consumed, first);
  }
  EXPECT_EQ(text(scan_spool(std::string_view(whole).substr(first))), "2 good");
}

TEST(Spool, ATornLineWithANewlineBehindItIsDamage) {
  const std::string good = spool_line(record(1));
  const std::string torn =
      good + spool_line(record(2)).substr(0, 20) + "\n" + spool_line(record(3));
  EXPECT_EQ(text(scan_spool(torn)), "1 damaged");
  EXPECT_EQ(scan_spool(torn).consumed, good.size());
}

TEST(Spool, ZerosOfAPowerLossEndTheSpool) {
  const std::string good = spool_line(record(1));
  EXPECT_EQ(text(scan_spool(good + std::string(4096, '\0'))), "1 good");
  EXPECT_EQ(text(scan_spool(good + std::string(100, '\0') + "\n")), "1 damaged");
}

TEST(Spool, EveryChangedByteOfALineIsSeen) {
  const std::string line = spool_line(record(7));
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    std::string changed = line;
    changed[i] ^= 1;
    EXPECT_EQ(text(scan_spool(changed)), "damaged") << i;
  }
}

}  // namespace
}  // namespace dt
