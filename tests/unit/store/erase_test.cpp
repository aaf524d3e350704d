// What is left of a deleted experiment: nothing, and nothing of another one is touched.
#include <map>

#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

class Erase : public StoreTest {
 protected:
  // Two experiments, each with a trial, an allocation, points, log lines and a checkpoint.
  void SetUp() override {
    core::Writes writes;
    for (const std::int64_t id : {std::int64_t{1}, std::int64_t{2}}) {
      core::ExperimentRow experiment = experiment_row(id);
      experiment.state = core::ExperimentState::deleting;
      writes.experiments.push_back(experiment);
      writes.trials.push_back(trial_row(id, id));
      core::AllocationRow allocation = allocation_row(id, id);
      allocation.experiment = {id};
      writes.allocations.push_back(allocation);
      writes.checkpoints.push_back({.id = {cat("c", id)},
                                    .trial = {id},
                                    .allocation = {1, id},
                                    .step = 10,
                                    .files = {{.path = "own", .bytes = 1, .sha256 = hash(id)},
                                              {.path = "shared", .bytes = 1, .sha256 = hash(7)}},
                                    .state = core::CheckpointState::stored});
      writes.searcher_events.push_back({.experiment = {id}, .number = 1});
      writes.searcher_snapshots.push_back({.experiment = {id}, .number = 1});
      writes.provenances.push_back({.experiment = {id}, .provenance = Value::Object{{"a", 1}}});
    }
    ASSERT_EQ("", write(writes).text());
    for (const std::int64_t id : {std::int64_t{1}, std::int64_t{2}}) {
      Spool& spool = spools_[id];
      const auto stored = store->ingest(
          {1, id},
          {spool.hello(0), spool.metric(0, "validation", "loss", 10, 0.25), spool.line(0, "hi")});
      ASSERT_EQ("", stored.status().text());
    }
  }

  static std::string hash(std::int64_t digit) {
    return std::string(63, 'a') + std::to_string(digit);
  }

  std::string count(const std::string& table) const { return sql("SELECT count(*) FROM " + table); }

  std::map<std::int64_t, Spool> spools_;
};

TEST_F(Erase, NamesTheFilesOfAnExperimentAndThoseOfAllOthers) {
  EXPECT_EQ(*store->deleting(), (std::vector<ExperimentId>{{1}, {2}}));
  EXPECT_EQ(*store->files_of({1}, Store::Which::all), (std::set<std::string>{hash(1), hash(7)}));
  EXPECT_EQ(*store->files_in_use({1}), (std::set<std::string>{hash(2), hash(7)}));
}

TEST_F(Erase, AFileThatIsAnnouncedIsSomebodyElses) {
  const Value file = Value::Object{{"path", "p"}, {"bytes", 1}, {"sha256", hash(1)}};
  const core::Record announced =
      spools_[2].make(0, core::RecordKind::checkpoint,
                      Value::Object{{"id", "late"}, {"files", Value::Array{file}}});
  ASSERT_EQ("", store->ingest({1, 2}, {announced}).status().text());
  EXPECT_TRUE(store->files_in_use({1})->contains(hash(1)));
}

TEST_F(Erase, KnowsWhichCheckpointsAreDeletedAndWhatTheyWereWorth) {
  const std::vector<StoredCheckpoint> before = *store->stored_checkpoints({1});
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].fact.id, CheckpointId{"c1"});
  EXPECT_EQ(before[0].fact.metric, 0.25) << "of the validation at its step";
  EXPECT_FALSE(before[0].is_latest);
  ASSERT_EQ("", write({.deleted_checkpoints = {{"c1"}}}).text());
  EXPECT_TRUE(store->stored_checkpoints({1})->empty());
  EXPECT_EQ(*store->files_of({1}, Store::Which::deleted),
            (std::set<std::string>{hash(1), hash(7)}));
  EXPECT_EQ(*store->files_in_use({}), (std::set<std::string>{hash(2), hash(7)}));
}

TEST_F(Erase, TakesEveryRowOfOneExperimentAndNoneOfTheOther) {
  while (*store->erase_rows({1})) {
  }
  ASSERT_EQ("", write({.erased = {{1}}}).text());
  for (const char* table : {"experiments", "trials", "allocations", "checkpoints", "series",
                            "metric_chunks", "log_chunks", "log_positions", "attempts", "marks",
                            "searcher_events", "searcher_snapshots", "experiment_provenance"}) {
    EXPECT_EQ("1", count(table)) << table;
  }
  EXPECT_EQ("2", sql("SELECT id FROM experiments"));
}

TEST_F(Erase, LeavesNoPlaceForRecordsThatComeLater) {
  while (*store->erase_rows({1})) {
  }
  ASSERT_EQ("", write({.erased = {{1}}}).text());
  const std::string inbox = count("inbox");
  const std::vector<core::Record> late = {spools_[1].hello(0),
                                          spools_[1].metric(0, "validation", "loss", 9, 1),
                                          spools_[1].line(0, "late"), spools_[1].exit(0, 0)};
  EXPECT_EQ(Code::not_found, store->ingest({1, 1}, late).status().code())
      << "which the agent takes for: nobody wants them any more";
  for (const char* table : {"series", "metric_chunks", "log_chunks", "log_positions", "attempts",
                            "marks", "trials", "allocations"}) {
    EXPECT_EQ("1", count(table)) << table;
  }
  EXPECT_EQ(inbox, count("inbox"));
}

TEST_F(Erase, ReadsEndedExperimentsWithAllThatTheyNeedToGoOn) {
  const core::Recovered read = *store->load_experiments({{2}, {9}});
  ASSERT_EQ(read.experiments.size(), 1u);
  EXPECT_EQ(read.experiments[0].id, ExperimentId{2});
  EXPECT_EQ(read.trials.size(), 1u);
  EXPECT_EQ(read.searcher_snapshots.size(), 1u);
  EXPECT_TRUE(read.checkpoints.empty()) << "stored, and not the trial's latest";
  EXPECT_TRUE(read.agents.empty());
}

}  // namespace
}  // namespace dt::master
