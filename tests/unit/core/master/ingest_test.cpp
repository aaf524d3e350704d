#include "core/master/ingest.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "core/master/commit.h"
#include "formats/json.h"

namespace dt::core {
namespace {

Record record(int stream, std::int64_t seq, RecordKind kind, const std::string& body) {
  return {.stream = stream, .seq = seq, .kind = kind, .time_ms = 7, .body = *parse_json(body)};
}

Record loss(std::int64_t seq, const char* group = "training", int stream = 0) {
  return record(stream, seq, RecordKind::metrics,
                cat(R"({"group":")", group, R"(","step":)", seq, R"(,"values":{"loss":0.5}})"));
}

// "points p… | inbox … | others n | marks 0=3 gap"
std::string text_of(const IngestPlan& plan) {
  std::string text = "points";
  for (const Point& point : plan.points) {
    text +=
        cat(' ', point.rank, '/', point.group, '/', point.name, '@', point.step, '=', point.value);
  }
  text += " | inbox";
  for (const InboxRow& row : plan.inbox) text += cat(' ', row.stream, '/', to_text(row.kind));
  text += cat(" | others ", plan.others.size(), " | marks");
  for (const auto& [stream, seq] : plan.marks) text += cat(' ', stream, '=', seq);
  return text + (plan.gap ? " gap" : "");
}

IngestPlan plan(const Marks& marks, const std::vector<Record>& records) {
  return plan_ingest({.allocation = {1, 1}, .trial = {1}}, marks, records);
}

TEST(Ingest, TakesEachRecordOnceInOrder) {
  EXPECT_EQ(text_of(plan({{0, 1}}, {loss(1), loss(2), loss(2), loss(3)})),
            "points 0/training/loss@2=0.5 0/training/loss@3=0.5 | inbox | others 0 | marks 0=3");
}

TEST(Ingest, StopsAStreamAtAGapAndOnlyThatOne) {
  EXPECT_EQ(text_of(plan({}, {loss(1), loss(3), loss(1, "training", 1), loss(4)})),
            "points 0/training/loss@1=0.5 1/training/loss@1=0.5 | inbox | others 0 "
            "| marks 0=1 1=1 gap");
}

TEST(Ingest, SendsToTheInboxWhatADecisionNeeds) {
  const auto text =
      text_of(plan({}, {loss(1, "validation"), loss(1, "validation", 1),
                        record(0, 2, RecordKind::progress, R"({"fraction":0.5})"),
                        record(1, 2, RecordKind::progress, R"({"fraction":0.5})"),
                        record(1, 3, RecordKind::checkpoint, R"({"id":"a","part":0,"parts":1})"),
                        record(1, 4, RecordKind::early_exit, R"({"reason":"x"})"),
                        record(1, 5, RecordKind::exit, R"({"code":3})")}));
  EXPECT_EQ(text,
            "points 0/validation/loss@1=0.5 1/validation/loss@1=0.5 "
            "| inbox 0/metrics 0/progress 1/checkpoint 1/early_exit 1/exit "
            "| others 0 | marks 0=2 1=5");
}

TEST(Ingest, NonFiniteNumbersArePointsAndTypedValuesAreKept) {
  const IngestPlan made = plan(
      {}, {record(0, 1, RecordKind::metrics,
                  R"({"group":"validation","step":4,"values":{"a":"NaN","b":"-Infinity","c":2,)"
                  R"("d":{"type":"text","text":"long"},"e":"x"}})")});
  ASSERT_EQ(made.points.size(), 3u);
  EXPECT_TRUE(made.points[0].value != made.points[0].value);
  EXPECT_EQ(made.points[2].value, 2);
  EXPECT_EQ(made.others.size(), 1u);
  ASSERT_EQ(made.inbox.size(), 1u);
  EXPECT_EQ(to_json(made.inbox[0].body),
            R"({"group":"validation","step":4,"values":{"a":"NaN","b":"-Infinity","c":2,)"
            R"("d":{"type":"text"},"e":{"type":"text"}}})");
}

TEST(Ingest, LogsHellosAndEnvironment) {
  const IngestPlan made =
      plan({}, {record(0, 1, RecordKind::hello, R"({"start_step":40})"),
                record(0, 2, RecordKind::log, R"({"output":"stderr","text":"oh"})"),
                record(-1, 1, RecordKind::environment, R"({"variables":[]})")});
  EXPECT_EQ(made.start_step, StartStep{40});
  EXPECT_EQ(made.logs, (std::vector<LogLine>{{0, 2, 7, "stderr", "oh"}}));
  EXPECT_EQ(made.others.size(), 2u);
}

TEST(Ingest, AnInboxRowOfAnUploadSaysWhichPart) {
  EXPECT_EQ(to_json(part_stored_row({1, 2}, {7}, {"a"}, 3, "").body), R"({"id":"a","part":3})");
  EXPECT_EQ(to_json(part_stored_row({1, 2}, {7}, {"a"}, 3, "gone").body),
            R"({"failure":"gone","id":"a","part":3})");
}

TEST(Commit, TheBatchNumberDecidesAnUnknownOutcome) {
  const LoopState tried{.batch = 8, .incarnation = "me"};
  EXPECT_EQ(judge_commit(tried, {8, "me"}), CommitVerdict::perform);
  EXPECT_EQ(judge_commit(tried, {7, "me"}), CommitVerdict::write_again);
  EXPECT_EQ(judge_commit(tried, {6, "me"}), CommitVerdict::stop_acting);
  EXPECT_EQ(judge_commit(tried, {9, "me"}), CommitVerdict::exit);
  EXPECT_EQ(judge_commit(tried, {8, "another"}), CommitVerdict::exit);
  EXPECT_EQ(judge_commit(tried, {7, "another"}), CommitVerdict::exit);
}

TEST(Commit, ALargerBatchSeenByAPeerMeansLoss) {
  EXPECT_FALSE(commits_were_lost(5, 5));
  EXPECT_TRUE(commits_were_lost(5, 6));
}

}  // namespace
}  // namespace dt::core
