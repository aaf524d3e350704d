#include "master/store/log_chunk.h"
#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

using core::Record;

class Logs : public StoreTest {
 protected:
  void SetUp() override { begin_trial(); }

  void push(const std::vector<Record>& records, std::int64_t allocation = 1) {
    ASSERT_EQ("", store->ingest({1, allocation}, records).status().text());
  }

  // "1 a, 2 b": position and text.
  std::string read(const LogQuery& query) {
    std::string out;
    const auto lines = store->logs(query);
    if (!lines.ok()) return lines.status().text();
    for (const StoredLogLine& line : *lines) {
      out += cat(out.empty() ? "" : ", ", line.position, " ", line.line.text);
    }
    return out;
  }

  Spool spool;
};

TEST_F(Logs, ComeBackInTheOrderOfTheirArrival) {
  push({spool.line(0, "a"), spool.line(1, "b"), spool.line(0, "c"), spool.line(-1, "d")});
  push({spool.line(1, "e")});
  EXPECT_EQ("1 a, 2 b, 3 c, 4 d, 5 e", read({.trial = {1}}));
}

TEST_F(Logs, KeepAllOfALine) {
  Record record = spool.line(1, "text \"quoted\" \xf0\x9f\xa6\x8a", "stderr");
  push({record});
  const StoredLogLine line = store->logs({.trial = {1}})->at(0);
  EXPECT_EQ(1, line.attempt);
  EXPECT_EQ((core::LogLine{.stream = 1,
                           .seq = 1,
                           .time_ms = record.time_ms,
                           .output = "stderr",
                           .text = "text \"quoted\" \xf0\x9f\xa6\x8a"}),
            line.line);
}

TEST_F(Logs, KeepEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; i++) bytes += static_cast<char>(i);
  const std::vector<StoredLogLine> lines = {
      {.position = 1, .attempt = 2, .line = {.stream = -1, .output = "shim", .text = bytes}},
      {.position = 9, .attempt = 2, .line = {.stream = -1, .seq = 3, .time_ms = -5}}};
  const auto back = unpack_lines(pack_lines(lines), 2, -1);
  ASSERT_EQ(2u, back->size());
  EXPECT_EQ(lines[0].line, (*back)[0].line);
  EXPECT_EQ(lines[1].line, (*back)[1].line);
  EXPECT_EQ(9, (*back)[1].position);
}

TEST_F(Logs, ThatAreDamagedSaySo) {
  std::string packed = pack_lines({{.position = 1, .line = {.text = std::string(1000, 'a')}}});
  EXPECT_EQ(Code::data_loss, unpack_lines("nonsense", 1, 0).status().code());
  EXPECT_EQ(Code::data_loss, unpack_lines("", 1, 0).status().code());
  packed.resize(packed.size() / 2);
  EXPECT_EQ(Code::data_loss, unpack_lines(packed, 1, 0).status().code());
}

TEST_F(Logs, GiveTheLastLines) {
  for (int i = 1; i <= 10; i++) push({spool.line(0, "x"), spool.line(1, "y")});
  EXPECT_EQ("18 y, 19 x, 20 y", read({.trial = {1}, .tail = 3}));
  EXPECT_EQ("15 x, 17 x, 19 x", read({.trial = {1}, .ranks = {0}, .tail = 3}));
  EXPECT_EQ(20u, store->logs({.trial = {1}, .tail = 100})->size());
}

TEST_F(Logs, ArePagedByPosition) {
  for (int i = 1; i <= 5; i++) push({spool.line(0, "x"), spool.line(1, "y")});
  EXPECT_EQ("1 x, 2 y, 3 x", read({.trial = {1}, .limit = 3}));
  EXPECT_EQ("4 y, 5 x, 6 y", read({.trial = {1}, .after = 3, .limit = 3}));
  EXPECT_EQ("10 y", read({.trial = {1}, .after = 9, .limit = 3}));
  EXPECT_EQ("", read({.trial = {1}, .after = 10}));
}

TEST_F(Logs, AreChosenByAttemptAndRank) {
  push({spool.line(0, "a"), spool.line(1, "b"), spool.line(-1, "prepare")});
  ASSERT_EQ("", write({.allocations = {allocation_row(2, 1, 2)}}).text());
  Spool second;
  push({second.line(0, "c"), second.line(1, "d")}, 2);
  EXPECT_EQ("1 a, 2 b, 3 prepare", read({.trial = {1}, .attempt = 1}));
  EXPECT_EQ("5 d", read({.trial = {1}, .attempt = 2, .ranks = {1}}));
  EXPECT_EQ("1 a, 3 prepare, 4 c", read({.trial = {1}, .ranks = {0, -1}}));
  EXPECT_EQ("", read({.trial = {2}}));
}

// Chunks whose lines lie across each other: every page and tail must be what sorting all would
// give.
TEST_F(Logs, PagesAndTailsAreExactThroughMerging) {
  constexpr int total = 600;
  for (int i = 0; i < total / 3; i++) {
    push({spool.line(i % 3, cat(i)), spool.line((i / 7) % 2, cat(i)), spool.line(2, cat(i))});
  }
  for (const bool merged : {false, true}) {
    SCOPED_TRACE(merged ? "merged" : "as written");
    if (merged) {
      ASSERT_EQ("", store->tidy_up(0).text());
    }
    std::int64_t position = 0;
    for (;;) {
      const auto page = *store->logs({.trial = {1}, .after = position, .limit = 37});
      for (const StoredLogLine& line : page) EXPECT_EQ(++position, line.position);
      if (page.size() < 37) break;
    }
    EXPECT_EQ(total, position);
    for (const int tail : {1, 10, 299, 600}) {
      const auto lines = *store->logs({.trial = {1}, .tail = tail});
      ASSERT_EQ(static_cast<std::size_t>(tail), lines.size());
      EXPECT_EQ(total - tail + 1, lines.front().position);
      EXPECT_EQ(total, lines.back().position);
    }
  }
  EXPECT_EQ("3|600", sql("SELECT count(*), sum(line_count) FROM log_chunks"));
}

}  // namespace
}  // namespace dt::master
