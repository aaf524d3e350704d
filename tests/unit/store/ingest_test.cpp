#include <cmath>
#include <future>
#include <limits>

#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

using core::Marks;
using core::Record;

constexpr AllocationId first{1, 1};

class Ingest : public StoreTest {
 protected:
  void SetUp() override { begin_trial(); }

  std::string points() {
    return sql(
        "SELECT attempt, rank, metric_group, name, step, value FROM metric_points "
        "ORDER BY rank, metric_group, name, step");
  }

  Spool spool;
};

TEST_F(Ingest, StoresPointsAndRaisesTheMarks) {
  const auto result = store->ingest(first, {spool.metric(0, "training", "loss", 1, 0.5),
                                            spool.metric(0, "training", "loss", 2, 0.25),
                                            spool.metric(1, "training", "loss", 1, 0.75)});
  EXPECT_EQ((Marks{{0, 2}, {1, 1}}), result->marks);
  EXPECT_EQ((Marks{{0, 2}, {1, 1}}), *store->marks(first));
  EXPECT_EQ(
      "1|0|training|loss|1|0.5\n"
      "1|0|training|loss|2|0.25\n"
      "1|1|training|loss|1|0.75",
      points());
}

TEST_F(Ingest, OfTheSameRecordsAgainChangesNothing) {
  const std::vector<Record> records = {spool.hello(0), spool.metric(0, "training", "loss", 1, 0.5),
                                       spool.line(0, "a"), spool.exit(0, 0)};
  const auto once = store->ingest(first, records);
  const auto twice = store->ingest(first, records);
  EXPECT_EQ(once->marks, twice->marks);
  EXPECT_EQ(1u, once->inbox.size());
  EXPECT_EQ(0u, twice->inbox.size());
  EXPECT_EQ("1|1|1|1", sql("SELECT (SELECT count(*) FROM metric_points_raw), "
                           "(SELECT sum(line_count) FROM log_chunks), "
                           "(SELECT count(*) FROM inbox), (SELECT count(*) FROM records_other)"));
}

TEST_F(Ingest, StopsAtAGapAndGoesOnFromTheMark) {
  const Record one = spool.metric(0, "training", "loss", 1, 1);
  const Record two = spool.metric(0, "training", "loss", 2, 2);
  const Record three = spool.metric(0, "training", "loss", 3, 3);
  EXPECT_EQ((Marks{{0, 1}}), store->ingest(first, {one, three})->marks);
  EXPECT_EQ((Marks{{0, 3}}), store->ingest(first, {two, three})->marks);
  EXPECT_EQ("3", sql("SELECT count(*) FROM metric_points_raw"));
}

TEST_F(Ingest, HandsOutTheInboxRowsAsTheyAreStored) {
  const auto result = store->ingest(
      first, {spool.metric(0, "validation", "loss", 5, 0.5), spool.exit(0, 0), spool.exit(1, 3)});
  ASSERT_EQ(3u, result->inbox.size());
  EXPECT_EQ(result->inbox, store->load()->inbox);
  EXPECT_EQ(core::RecordKind::metrics, result->inbox[0].kind);
  EXPECT_EQ(Value(3), result->inbox[2].body["code"]);

  ASSERT_EQ("", write({.consumed = {result->inbox[0].id, result->inbox[2].id}}).text());
  EXPECT_EQ(std::vector{result->inbox[1]}, store->load()->inbox);
}

TEST_F(Ingest, TellsWhichSeriesGrewAndToHowManyPoints) {
  ASSERT_TRUE(store->ingest(first, {spool.metric(0, "training", "loss", 1, 1)}).ok());
  const auto result = store->ingest(first, {spool.metric(0, "training", "loss", 2, 1),
                                            spool.metric(0, "training", "loss", 3, 1)});
  ASSERT_EQ(1u, result->grown_series.size());
  EXPECT_EQ(3, result->grown_series[0].points);
  EXPECT_EQ(series_of(1).at(0).id, result->grown_series[0].id);
}

TEST_F(Ingest, PutsTheBatchOfASeriesIntoOneChunk) {
  std::vector<Record> records;
  for (int step = 1; step <= 100; step++) {
    records.push_back(spool.metrics(0, "training", step, {{"loss", 1.0}, {"accuracy", 2.0}}));
  }
  ASSERT_TRUE(store->ingest(first, records).ok());
  EXPECT_EQ("2|200", sql("SELECT count(*), sum(points) FROM metric_chunks"));
}

TEST_F(Ingest, OfAnUnknownAllocationIsNotFound) {
  const auto result = store->ingest({1, 99}, {spool.hello(0)});
  EXPECT_EQ("allocation 1.99 does not exist", result.status().message());
  EXPECT_EQ(Code::not_found, store->marks({1, 99}).status().code());
}

TEST_F(Ingest, KnowsTheSearcherMetricOfItsExperiment) {
  const AllocationSummary summary = *store->allocation(first);
  EXPECT_EQ("loss", summary.facts.searcher_metric);
  EXPECT_EQ("batches", summary.facts.time_metric);
  EXPECT_EQ(TrialId{1}, summary.facts.trial);
  EXPECT_EQ(ExperimentId{1}, summary.experiment);
  EXPECT_FALSE(summary.ended);
}

TEST_F(Ingest, KeepsEveryDouble) {
  using limits = std::numeric_limits<double>;
  const std::vector<double> values = {0.0,
                                      -0.0,
                                      limits::quiet_NaN(),
                                      limits::infinity(),
                                      -limits::infinity(),
                                      limits::max(),
                                      limits::denorm_min(),
                                      0.1 + 0.2};
  std::vector<Record> records;
  for (std::size_t i = 0; i < values.size(); i++) {
    records.push_back(spool.metric(0, "g", "n", static_cast<std::int64_t>(i), values[i]));
  }
  ASSERT_TRUE(store->ingest(first, records).ok());
  const std::vector<Bucket> read = points_of(series_of(1).at(0).id);
  ASSERT_EQ(values.size(), read.size());
  for (std::size_t i = 0; i < values.size(); i++) {
    EXPECT_EQ(cat(values[i]), cat(read[i].first)) << i;
    EXPECT_EQ(std::isfinite(values[i]) ? 0 : 1, read[i].non_finite) << i;
  }
  EXPECT_EQ("0\n-0\nNaN\nInfinity\n-Infinity\n1.7976931348623157e+308\n5e-324\n0.30000000000000004",
            sql("SELECT value FROM metric_points ORDER BY step"));
}

TEST_F(Ingest, KeepsEveryStepWhateverItsOrder) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<Record> records;
  for (const std::int64_t step : {most, least, std::int64_t{0}, most - 1, least + 1}) {
    records.push_back(spool.metric(0, "g", "n", step, 1));
  }
  ASSERT_TRUE(store->ingest(first, records).ok());
  EXPECT_EQ(cat(least, "\n", least + 1, "\n0\n", most - 1, "\n", most),
            sql("SELECT step FROM metric_points ORDER BY step"));
  std::string steps;
  for (const Bucket& bucket :
       points_of(series_of(1).at(0).id)) {
    steps += cat(bucket.first_step, " ");
  }
  EXPECT_EQ(cat(least, " ", least + 1, " 0 ", most - 1, " ", most, " "), steps);
}

TEST_F(Ingest, TakesAnyTimeThatANodeClaims) {
  Record early = spool.metric(0, "g", "n", 1, 1);
  early.time_ms = std::numeric_limits<std::int64_t>::min();
  Record late = spool.metric(0, "g", "n", 2, 1);
  late.time_ms = std::numeric_limits<std::int64_t>::max();
  Record now = spool.metric(0, "g", "n", 3, 1);
  now.time_ms = 1'700'000'000'123;
  ASSERT_TRUE(store->ingest(first, {early, late, now}).ok());
  EXPECT_EQ("2023-11-14 22:13:20.123",
            sql("SELECT time AT TIME ZONE 'UTC' FROM metric_points WHERE step = 3"));
  EXPECT_EQ("3", sql("SELECT count(time) FROM metric_points"));
}

TEST_F(Ingest, TakesAnyName) {
  std::string noise;
  for (unsigned i = 0; noise.size() < 10'000; i++) noise += std::to_string(i * 2654435761u);
  const std::vector<std::string> names = {"Robert'); DROP TABLE series;--",
                                          "\"quoted\" \\ {1,2}",
                                          "漢字 🦊",
                                          "",
                                          noise,
                                          noise + "x",
                                          "a\nb\tc"};
  std::vector<Record> records;
  for (const std::string& name : names) records.push_back(spool.metric(0, name, name, 1, 1));
  ASSERT_EQ("", store->ingest(first, records).status().text());
  std::set<std::string> stored;
  for (const SeriesInfo& info : series_of(1)) {
    EXPECT_EQ(info.name, info.metric_group);
    stored.insert(info.name);
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), stored);
}

TEST_F(Ingest, TakesNamesThatTheDatabaseCannotHoldAsReplacements) {
  const std::string name("a\0b\xff", 4);
  ASSERT_TRUE(store->ingest(first, {spool.metric(0, "g", name, 1, 1)}).ok());
  ASSERT_TRUE(store->ingest(first, {spool.metric(0, "g", name, 2, 1)}).ok());
  ASSERT_EQ(1u, series_of(1).size());
  EXPECT_EQ(
      "a\xEF\xBF\xBD"
      "b\xEF\xBF\xBD",
      series_of(1).at(0).name);
}

TEST_F(Ingest, KeepsEpochsWhereThereAreAny) {
  const Record without = spool.metric(0, "g", "n", 1, 1);
  Record with = spool.metric(0, "g", "n", 2, 1);
  with.body.set("epoch", 0.5);
  ASSERT_TRUE(store->ingest(first, {without, with}).ok());
  ASSERT_TRUE(store->ingest(first, {spool.metric(0, "g", "n", 3, 1)}).ok());
  EXPECT_EQ("{NaN,0.5}\nnull", sql("SELECT epochs FROM metric_chunks ORDER BY id"));
}

TEST_F(Ingest, OfManyAgentsAtOnceLosesNothingAndNeverDeadlocks) {
  constexpr int agents = 8;
  for (int number = 2; number <= agents; number++) {
    ASSERT_EQ(
        "", write({.trials = {trial_row(number)}, .allocations = {allocation_row(number, number)}})
                .text());
  }
  // Two attempts of trial 1 besides, which grow the same series.
  ASSERT_EQ("", write({.allocations = {allocation_row(9, 1, 2)}}).text());
  const auto push = [&](std::int64_t number) {
    Spool own;
    std::string problems;
    for (int round = 0; round < 10; round++) {
      std::vector<Record> records;
      for (int i = 0; i < 20; i++) {  // names in another order in each round
        const std::string name = cat("metric ", (i * 7 + round * 3 + number) % 20);
        records.push_back(own.metric(0, "training", name, round, 1));
      }
      problems += store->ingest({1, number}, records).status().text();
    }
    return problems;
  };
  std::vector<std::future<std::string>> results;
  for (int number = 1; number <= agents + 1; number++) {
    results.push_back(std::async(std::launch::async, push, number));
  }
  for (auto& result : results) EXPECT_EQ("", result.get());
  EXPECT_EQ("1800|160",
            sql("SELECT (SELECT count(*) FROM metric_points_raw), count(*) FROM series"));
  EXPECT_EQ("0", sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"));
}

TEST_F(Ingest, OfManyAtOnceIsHarmedByNoOther) {
  ASSERT_EQ("", sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                    "'BEGIN RAISE division_by_zero; END'"));
  ASSERT_EQ("", sql("CREATE TRIGGER refuse BEFORE INSERT ON records_other FOR EACH ROW "
                    "WHEN (new.kind = 'artifact') EXECUTE FUNCTION refuse()"));
  constexpr int trials = 24;
  for (int number = 2; number <= trials; number++) {
    ASSERT_EQ(
        "", write({.trials = {trial_row(number)}, .allocations = {allocation_row(number, number)}})
                .text());
  }
  // Every third is refused by the database, every third is of no allocation that there is.
  const auto push = [&](std::int64_t number) {
    Spool own;
    const std::int64_t allocation = number % 3 == 1 ? 1000 + number : number;
    std::vector<Record> records = {own.exit(0, 0)};
    if (number % 3 == 0) records.push_back(own.make(0, core::RecordKind::artifact, Value::Object{}));
    return store->ingest({1, allocation}, records);
  };
  std::vector<std::future<Result<IngestResult>>> results;
  for (int number = 1; number <= trials; number++) {
    results.push_back(std::async(std::launch::async, push, number));
  }
  for (int number = 1; number <= trials; number++) {
    const Result<IngestResult> result = results[static_cast<std::size_t>(number - 1)].get();
    const Code expected[] = {Code::internal, Code::not_found, Code::ok};
    ASSERT_EQ(expected[number % 3], result.status().code()) << result.status().text();
    if (!result.ok()) continue;
    ASSERT_EQ(1u, result->inbox.size());
    EXPECT_EQ(number, result->inbox[0].allocation.number);
    EXPECT_EQ(number, result->trial.value);
    EXPECT_EQ("1", sql(cat("SELECT count(*) FROM inbox WHERE number = ", number, " AND id = ",
                           result->inbox[0].id.value)));
  }
  EXPECT_EQ("8|8", sql("SELECT (SELECT count(*) FROM inbox), count(*) FROM marks"));
}

TEST_F(Ingest, OfTwoNodesOfOneAllocationTakesTurns) {
  const auto push = [&](int rank) {
    Spool own;
    std::string problems;
    for (int step = 1; step <= 20; step++) {
      problems += store->ingest(first, {own.metric(rank, "g", "n", step, 1)}).status().text();
    }
    return problems;
  };
  auto other = std::async(std::launch::async, push, 1);
  EXPECT_EQ("", push(0));
  EXPECT_EQ("", other.get());
  EXPECT_EQ((Marks{{0, 20}, {1, 20}}), *store->marks(first));
}

TEST_F(Ingest, WhoseOutcomeIsUnknownHandsItsInboxRowsOutLater) {
  ASSERT_TRUE(store->ingest(first, {spool.hello(0)}).ok());
  // The connection goes as the commit's answer would come. Whether it was stored shows in the
  // marks; here it was not, and the records come again.
  ASSERT_EQ("", sql("CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS "
                    "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"));
  ASSERT_EQ("", sql("CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON inbox DEFERRABLE INITIALLY "
                    "DEFERRED FOR EACH ROW EXECUTE FUNCTION cut_off()"));
  const std::vector<Record> records = {spool.metric(0, "validation", "loss", 1, 1),
                                       spool.exit(0, 0)};
  EXPECT_EQ(Code::unknown, store->ingest(first, records).status().code());
  ASSERT_EQ("", sql("DROP TRIGGER cut_off ON inbox"));
  EXPECT_EQ((Marks{{0, 1}}), *store->marks(first));
  EXPECT_EQ(2u, store->ingest(first, records)->inbox.size());
}

TEST_F(Ingest, ThatWasStoredThoughItsOutcomeWasUnknownIsAskedForOnceMore) {
  ASSERT_TRUE(store->ingest(first, {spool.hello(0)}).ok());
  const std::vector<Record> records = {spool.metric(0, "validation", "loss", 1, 1),
                                       spool.exit(0, 0)};
  // As if the first store had stored them but lost the answer: another one did the storing.
  ASSERT_EQ("", sql("CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS "
                    "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"));
  ASSERT_EQ("", sql("CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON inbox DEFERRABLE INITIALLY "
                    "DEFERRED FOR EACH ROW EXECUTE FUNCTION cut_off()"));
  ASSERT_EQ(Code::unknown, store->ingest(first, records).status().code());
  ASSERT_EQ("", sql("DROP TRIGGER cut_off ON inbox"));
  ASSERT_EQ(2u, open()->ingest(first, records)->inbox.size());

  EXPECT_EQ((Marks{{0, 1}}), *store->marks(first)) << "asks for what is in doubt again";
  const auto again = store->ingest(first, records);
  EXPECT_EQ((Marks{{0, 3}}), again->marks);
  EXPECT_EQ(store->load()->inbox, again->inbox);
  EXPECT_EQ((Marks{{0, 3}}), *store->marks(first));
  EXPECT_EQ(0u, store->ingest(first, records)->inbox.size());
}

TEST_F(Ingest, OfAStoredPartIsAnInboxRow) {
  const core::InboxRow row = *store->part_stored(first, {"c1"}, 1, "");
  EXPECT_TRUE(row.part_stored);
  EXPECT_EQ(core::RecordKind::checkpoint, row.kind);
  EXPECT_EQ(Value("c1"), row.body["id"]);
  EXPECT_EQ(Value(1), row.body["part"]);
  const core::InboxRow failed = *store->part_stored(first, {"c1"}, 0, "disk full");
  EXPECT_EQ(Value("disk full"), failed.body["failure"]);
  EXPECT_EQ(TrialId{1}, row.trial);
  EXPECT_EQ((std::vector{row, failed}), store->load()->inbox);
}

TEST_F(Ingest, OfAStoredPartThatIsToldAgainLeavesOneRow) {
  const core::InboxRow other = *store->part_stored(first, {"c1"}, 0, "");
  ASSERT_TRUE(store->part_stored(first, {"c1"}, 1, "").ok()) << "nobody heard of this commit";
  const core::InboxRow again = *store->part_stored(first, {"c1"}, 1, "");
  EXPECT_EQ((std::vector{other, again}), store->load()->inbox);
}

TEST_F(Ingest, KeepsEnvironmentsByRankOrNode) {
  core::AllocationRow second = allocation_row(2, 1, 2);
  second.nodes = {{.agent = {"a"}, .node_rank = 0, .first_rank = 0},
                  {.agent = {"b"}, .node_rank = 1, .first_rank = 2}};
  ASSERT_EQ("", write({.allocations = {second}}).text());
  const auto kind = core::RecordKind::environment;
  Spool one;
  ASSERT_TRUE(store->ingest(first, {one.make(0, kind, Value::Object{{"of", "rank 0"}})}).ok());
  Spool two;
  ASSERT_TRUE(store
                  ->ingest({1, 2}, {two.make(-1, kind, Value::Object{{"of", "node 0"}}),
                                    two.make(-2, kind, Value::Object{{"of", "node 1"}})})
                  .ok());
  EXPECT_EQ(Value("rank 0"), (*store->environment({1}, 1, 0))["of"]);
  EXPECT_EQ(Value("node 0"), (*store->environment({1}, 0, 1))["of"]);
  EXPECT_EQ(Value("node 1"), (*store->environment({1}, 2, 3))["of"]);
  EXPECT_EQ("trial 2 has no environment of rank 0 (it is recorded when the rank starts)",
            store->environment({2}, 0, 0).status().text());
}

}  // namespace
}  // namespace dt::master
