// Lists and single things, users, tokens and contexts.
#include "tests/unit/store/fixture.h"
#include "tests/unit/store/records.h"

namespace dt::master {
namespace {

class Reads : public StoreTest {};

std::string ids(const std::vector<core::ExperimentRow>& rows) {
  std::string out;
  for (const core::ExperimentRow& row : rows) out += cat(out.empty() ? "" : " ", row.id);
  return out;
}

TEST_F(Reads, ListExperimentsNewestFirstInPages) {
  core::Writes writes;
  for (int id = 1; id <= 5; id++) writes.experiments.push_back(experiment_row(id));
  writes.experiments[1].state = core::ExperimentState::completed;
  ASSERT_EQ("", write(writes).text());
  EXPECT_EQ("5 4 3", ids(*store->list_experiments({.limit = 3})));
  EXPECT_EQ("2 1", ids(*store->list_experiments({.before = {3}, .limit = 3})));
  EXPECT_EQ("2", ids(*store->list_experiments({.states = {"COMPLETED"}})));
  EXPECT_EQ("5 4 3 2 1", ids(*store->list_experiments({.states = {"COMPLETED", "ACTIVE"}})));
  EXPECT_EQ("", ids(*store->list_experiments({.states = {"'; DROP TABLE experiments;--"}})));
  EXPECT_EQ("experiment 9 does not exist", store->experiment({9}).status().message());
}

TEST_F(Reads, ListExperimentsWithWhatListsShowWhateverTheirTextHolds) {
  core::ExperimentRow row = experiment_row(1);
  Value config = row.config;
  config.set("labels", Value::Array{"a", std::string("nul\0", 4)});
  config.set("description", "why");
  config.set("hyperparameters", Value().set(std::string("k\0", 2), 1));
  row.config = config;
  ASSERT_EQ("", write({.experiments = {row}}).text());
  const core::ExperimentRow listed = store->list_experiments({.limit = 1})->at(0);
  EXPECT_EQ(row.config["labels"], listed.config["labels"]);
  EXPECT_EQ(row.config["searcher"], listed.config["searcher"]);
  EXPECT_EQ(Value("why"), listed.config["description"]);
  EXPECT_TRUE(listed.config["hyperparameters"].is_null());
  EXPECT_EQ("", listed.config_text);
  EXPECT_EQ(row, *store->experiment({1}));
  sql("UPDATE experiments SET shown = NULL");
  EXPECT_EQ(row.config, store->list_experiments({.limit = 1})->at(0).config) << "a row of before 0002";
}

TEST_F(Reads, KeepWhereAnExperimentCameFrom) {
  const Value provenance = Value().set("git_commit", "1a2b").set("git_diff", "-a\n+ü \x01\n");
  ASSERT_EQ("", write({.experiments = {experiment_row(1), experiment_row(2)},
                       .provenances = {{.experiment = {1}, .provenance = provenance}}})
                    .text());
  EXPECT_EQ(provenance, *store->provenance({1}));
  EXPECT_TRUE(store->provenance({2})->is_null());
}

TEST_F(Reads, FindTheStateOfASearch) {
  core::Writes writes{.experiments = {experiment_row(1)}};
  for (int number = 1; number <= 4; number++) {
    writes.searcher_events.push_back({.experiment = {1}, .number = number, .event = number});
  }
  writes.searcher_snapshots.push_back({.experiment = {1}, .number = 2, .snapshot = "two"});
  ASSERT_EQ("", write(writes).text());
  const StoredSearch search = *store->search_of({1});
  EXPECT_EQ(Value("two"), search.snapshot->snapshot);
  ASSERT_EQ(2u, search.events.size());
  EXPECT_EQ(3, search.events[0].number);
  EXPECT_EQ("experiment 9 does not exist", store->search_of({9}).status().message());
}

TEST_F(Reads, FindWhatNodesAndRanksSaidAtTheirStart) {
  begin_trial();
  Spool spool;
  const auto said = [&](int stream, core::RecordKind kind, const char* what) {
    return spool.make(stream, kind, Value().set("said", what));
  };
  ASSERT_EQ("", store
                    ->ingest({1, 1}, {said(-1, core::RecordKind::environment, "node"),
                                      said(0, core::RecordKind::hello, "zero"),
                                      said(1, core::RecordKind::hello, "one"),
                                      spool.line(0, "a line")})
                    .status()
                    .text());
  ASSERT_EQ("", write({.allocations = {allocation_row(2, 1, 2)}}).text());
  const RunRecords latest = *store->run_records({1}, 0);
  EXPECT_EQ(1, latest.attempt) << "the second has said nothing yet";
  std::string text;
  for (const RunRecord& record : latest.records) {
    text += cat(record.stream, " ", to_text(record.agent), " ", record.body["said"].as_string(), "; ");
  }
  EXPECT_EQ("-1 agent node; 0 agent zero; 1 agent one; ", text);
  EXPECT_EQ(0, store->run_records({1}, 2)->attempt);
  EXPECT_EQ(0, store->run_records({99}, 0)->attempt);
}

TEST_F(Reads, ListTrialsByNumberInPages) {
  core::Writes writes{.experiments = {experiment_row(1), experiment_row(2)}};
  for (int id = 1; id <= 5; id++) writes.trials.push_back(trial_row(id));
  writes.trials.push_back(trial_row(6, 2));
  ASSERT_EQ("", write(writes).text());
  EXPECT_EQ((std::vector{trial_row(1), trial_row(2)}),
            *store->list_trials({.experiment = {1}, .limit = 2}));
  EXPECT_EQ((std::vector{trial_row(3), trial_row(4), trial_row(5)}),
            *store->list_trials({.experiment = {1}, .after_number = 2}));
  EXPECT_EQ(trial_row(6, 2), *store->trial({6}));
  EXPECT_EQ("trial 9 does not exist", store->trial({9}).status().message());
}

TEST_F(Reads, CountTrialsByTheirState) {
  core::Writes writes{.experiments = {experiment_row(1), experiment_row(2)}};
  for (int id = 1; id <= 4; id++) writes.trials.push_back(trial_row(id));
  writes.trials[1].state = core::TrialState::completed;
  writes.trials[2].state = core::TrialState::error;
  ASSERT_EQ("", write(writes).text());
  const auto counts = *store->trial_counts({{1}, {2}});
  EXPECT_EQ(4, counts.at({1}).all);
  EXPECT_EQ(2, counts.at({1}).active);
  EXPECT_EQ(1, counts.at({1}).completed);
  EXPECT_EQ(1, counts.at({1}).errored);
  EXPECT_EQ(0, counts.at({2}).all);
}

TEST_F(Reads, ListAllocationsOfATrialAndThoseThatLive) {
  core::AllocationRow ended = allocation_row(1);
  ended.state = core::AllocationState::ended;
  const core::AllocationRow live = allocation_row(2, 1, 2);
  ASSERT_EQ("", write({.experiments = {experiment_row(1)},
                       .trials = {trial_row(1)},
                       .allocations = {live, ended}})
                    .text());
  EXPECT_EQ((std::vector{ended, live}), *store->allocations_of({1}));
  EXPECT_EQ(std::vector{live}, *store->live_allocations());
  EXPECT_TRUE(store->allocation({1, 1})->ended);
}

TEST_F(Reads, ListChangesAfterASequence) {
  core::Writes writes;
  for (int sequence = 1; sequence <= 3; sequence++) {
    writes.changes.push_back({.sequence = sequence, .kind = "trial", .id = "7", .experiment = {1}});
  }
  ASSERT_EQ("", write(writes).text());
  EXPECT_EQ((std::vector(writes.changes.begin() + 1, writes.changes.end())),
            *store->changes_after(1, 10));
  EXPECT_EQ(1u, store->changes_after(0, 1)->size());
}

TEST_F(Reads, FindTheUserOfAToken) {
  ASSERT_EQ("", store->put_user({.name = "ada", .admin = true}, "argon").text());
  ASSERT_EQ("", store->put_token("hash", "ada", "").text());
  EXPECT_EQ("ada", store->user_of_token("hash")->name);
  EXPECT_TRUE(store->user_of_token("hash")->admin);
  EXPECT_EQ("argon", *store->password_hash("ada"));

  EXPECT_EQ(Code::not_found, store->user_of_token("other").status().code());
  EXPECT_EQ("user bob does not exist", store->put_token("hash 2", "bob", "").message());
  EXPECT_EQ("user bob does not exist", store->password_hash("bob").status().message());

  ASSERT_EQ("", store->put_user({.name = "ada"}, "").text());
  EXPECT_FALSE(store->user_of_token("hash")->admin);
  EXPECT_EQ("argon", *store->password_hash("ada")) << "no new password, so the old one stays";
}

TEST_F(Reads, FindContextsByHash) {
  const ContextInfo context{.hash = {"ab"}, .bytes = 7, .files = 2};
  EXPECT_EQ("context ab is not stored", store->context({"ab"}).status().message());
  for (int time = 0; time < 2; time++) ASSERT_EQ("", store->put_context(context).text());
  EXPECT_EQ(7, store->context({"ab"})->bytes);
  EXPECT_EQ(2, store->context({"ab"})->files);
}

}  // namespace
}  // namespace dt::master
