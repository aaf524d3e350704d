// Housekeeping: what goes, what merges, and that nothing changes for readers.
#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

constexpr std::int64_t hour_ms = 3'600'000;

class TidyUp : public StoreTest {
 protected:
  void SetUp() override { begin_trial(); }
  std::int64_t now_ms() {
    return std::stoll(sql("SELECT (extract(epoch FROM now()) * 1000)::bigint"));
  }
  std::string raw() {
    return sql(
        "SELECT string_agg(concat(attempt, rank, name, step, time, value), ' ' "
        "ORDER BY attempt, rank, name, step, value) FROM metric_points_raw");
  }
  std::string effective() {
    return sql(
        "SELECT string_agg(concat(attempt, rank, name, step, time, value), ' ' "
        "ORDER BY rank, name, step) FROM metric_points");
  }
  Spool spool;
};

TEST_F(TidyUp, DropsChangesAfterAnHourAndAnswersAfterADay) {
  ASSERT_EQ("", write({.requests = {{.request_id = "r", .created_ms = now_ms()}},
                       .changes = {{.sequence = 1, .kind = "trial", .id = "1"}},
                       .cluster = core::ClusterRow{.cluster_id = "c", .last_change = 1}})
                    .text());
  EXPECT_EQ(1, *store->oldest_change());
  ASSERT_EQ("", store->tidy_up(now_ms() + hour_ms / 2).text());
  EXPECT_EQ(1u, store->changes_after(0, 10)->size());
  ASSERT_EQ("", store->tidy_up(now_ms() + hour_ms + 60'000).text());
  EXPECT_EQ(0u, store->changes_after(0, 10)->size());
  EXPECT_EQ(2, *store->oldest_change()) << "the next one that will be written";
  EXPECT_EQ(1u, store->load()->requests.size());
  ASSERT_EQ("", store->tidy_up(now_ms() + 25 * hour_ms).text());
  EXPECT_EQ("0", sql("SELECT count(*) FROM requests"));
}

TEST_F(TidyUp, MergesSmallChunksAndKeepsEveryPoint) {
  for (int step = 1; step <= 100; step++) {
    core::Record record = spool.metric(step % 2, "g", "n", step / 4, step);  // steps repeat
    if (step > 50) record.body.set("epoch", 0.5);
    ASSERT_TRUE(store->ingest({1, 1}, {record}).ok());
  }
  const std::string raw_before = raw();
  const std::string effective_before = effective();
  ASSERT_EQ("100", sql("SELECT count(*) FROM metric_chunks"));

  ASSERT_EQ("", store->tidy_up(now_ms()).text());

  EXPECT_EQ("2|100", sql("SELECT count(*), sum(points) FROM metric_chunks"));
  EXPECT_EQ(raw_before, raw());
  EXPECT_EQ(effective_before, effective());
  EXPECT_EQ("50", sql("SELECT count(*) FROM (SELECT unnest(epochs) AS e FROM metric_chunks) x "
                      "WHERE e = 0.5"));

  // And again with what comes later.
  for (int step = 101; step <= 140; step++) {
    ASSERT_TRUE(store->ingest({1, 1}, {spool.metric(0, "g", "n", step, step)}).ok());
  }
  const std::string later = effective();
  ASSERT_EQ("", store->tidy_up(now_ms()).text());
  EXPECT_EQ("2|140", sql("SELECT count(*), sum(points) FROM metric_chunks"));
  EXPECT_EQ(later, effective());
}

TEST_F(TidyUp, NeverMixesAttemptsOrSeries) {
  ASSERT_EQ("", write({.allocations = {allocation_row(2, 1, 2)}}).text());
  Spool second;
  ASSERT_TRUE(store->ingest({1, 2}, {second.hello(0, 10)}).ok());
  for (int step = 1; step <= 20; step++) {
    ASSERT_TRUE(store
                    ->ingest({1, 1}, {spool.metric(0, "g", "a", step, 1),
                                      spool.metric(0, "g", "b", step, 2)})
                    .ok());
    ASSERT_TRUE(store->ingest({1, 2}, {second.metric(0, "g", "a", step, 3)}).ok());
  }
  const std::string before = effective();
  ASSERT_EQ("", store->tidy_up(now_ms()).text());
  EXPECT_EQ("3", sql("SELECT count(*) FROM metric_chunks"));
  EXPECT_EQ(before, effective());
}

TEST_F(TidyUp, LeavesChunksWhoseStepsAreTooFarApart) {
  for (int i = 0; i < 20; i++) {
    const std::int64_t step = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    ASSERT_TRUE(store->ingest({1, 1}, {spool.metric(0, "g", "n", step, i)}).ok());
  }
  const std::string before = effective();
  ASSERT_EQ("", store->tidy_up(now_ms()).text());
  EXPECT_EQ(before, effective());
  EXPECT_EQ("20", sql("SELECT sum(points) FROM metric_chunks"));
}

}  // namespace
}  // namespace dt::master
