#include "agent/spool_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/cat.h"
#include "formats/spool.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

class Spool : public testing::Test {
 protected:
  void append(int stream, std::int64_t seq, std::size_t bytes = 1) {
    core::Record record{.stream = stream, .seq = seq};
    record.body.set("text", std::string(bytes, 'x'));
    append_text(spool_line(core::to_value(record)));
  }
  void append_text(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  // "0.1 0.2 end": the records, and whether no more are there.
  std::string read(SpoolReader& reader, const core::Marks& from = {}) {
    const auto batch = reader.read(from);
    if (!batch.ok()) return batch.status().message();
    std::string out;
    for (const core::Record& record : batch->records) {
      out += cat(record.stream, ".", record.seq, " ");
    }
    return out + (batch->at_end ? "end" : "more");
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "spool";
};

TEST_F(Spool, ThatIsMissingIsEmpty) {
  SpoolReader reader(path_);
  EXPECT_EQ(read(reader), "end");
}

TEST_F(Spool, GoesOnWhereTheLastReadEnded) {
  SpoolReader reader(path_);
  append(0, 1);
  append(1, 1);
  EXPECT_EQ(read(reader), "0.1 1.1 end");
  append(0, 2);
  EXPECT_EQ(read(reader, {{0, 1}, {1, 1}}), "0.2 end");
  EXPECT_EQ(read(reader, {{0, 2}, {1, 1}}), "end");
}

TEST_F(Spool, GoesBackWhenMarksDo) {
  SpoolReader reader(path_);
  append(0, 1);
  append(0, 2);
  append(1, 1);
  EXPECT_EQ(read(reader), "0.1 0.2 1.1 end");
  EXPECT_EQ(read(reader, {{0, 1}, {1, 1}}), "0.2 end");
}

TEST_F(Spool, LeavesAnUnfinishedLineForLater) {
  SpoolReader reader(path_);
  append(0, 1);
  const std::string line = spool_line(core::to_value(core::Record{.stream = 0, .seq = 2}));
  append_text(line.substr(0, 20));
  EXPECT_EQ(read(reader), "0.1 end");
  append_text(line.substr(20));
  EXPECT_EQ(read(reader, {{0, 1}}), "0.2 end");
}

TEST_F(Spool, EndsBeforeADamagedLine) {
  SpoolReader reader(path_);
  append(0, 1);
  append_text(std::string(40, '\0') + "\n");
  append(0, 2);
  EXPECT_EQ(read(reader), "0.1 end");
}

TEST_F(Spool, BatchesAreLimitedByCount) {
  SpoolReader reader(path_, {.records_max = 2});
  for (int seq = 1; seq <= 5; ++seq) append(0, seq);
  EXPECT_EQ(read(reader), "0.1 0.2 more");
  EXPECT_EQ(read(reader, {{0, 2}}), "0.3 0.4 more");
  EXPECT_EQ(read(reader, {{0, 4}}), "0.5 end");
}

TEST_F(Spool, BatchesAreLimitedByBytesButHoldOneRecord) {
  SpoolReader reader(path_, {.bytes_max = 1000});
  append(0, 1, 700'000);  // longer than one read of the file
  append(0, 2);
  EXPECT_EQ(read(reader), "0.1 more");
  EXPECT_EQ(read(reader, {{0, 1}}), "0.2 end");
}

TEST_F(Spool, SkipsWhatTheMarksCoverOfEachStream) {
  SpoolReader reader(path_, {.records_max = 2});
  for (int seq = 1; seq <= 3; ++seq) {
    append(0, seq);
    append(1, seq);
  }
  EXPECT_EQ(read(reader, {{0, 3}}), "1.1 1.2 more");
  EXPECT_EQ(read(reader, {{0, 3}, {1, 2}}), "1.3 end");
}

}  // namespace
}  // namespace dt::agent
