#include "core/master/commit.h"

#include "tests/unit/store/fixture.h"

namespace dt::master {
namespace {

using core::CommitVerdict;
using core::LoopState;

class Commit : public StoreTest {
 protected:
  // The server cuts the connection off when a change row is written: at once, or in its COMMIT.
  void cut_off_at_change(const char* when) {
    ASSERT_EQ("", sql("CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS "
                      "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"));
    ASSERT_EQ("", sql(cat("CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON changes ", when,
                          " FOR EACH ROW EXECUTE FUNCTION cut_off()")));
  }
  void stop_cutting_off() { ASSERT_EQ("", sql("DROP TRIGGER cut_off ON changes")); }

  core::Writes one_change(std::int64_t sequence) {
    return {.changes = {{.sequence = sequence, .kind = "trial", .id = "1", .experiment = {1}}}};
  }
};

TEST_F(Commit, RaisesTheBatchWithItsRows) {
  ASSERT_EQ("", write({.experiments = {experiment_row(1)}}).text());
  EXPECT_EQ((LoopState{.batch = 1, .incarnation = ""}), *store->loop_state());
  EXPECT_EQ(experiment_row(1), *store->experiment({1}));
}

TEST_F(Commit, OfABatchThatDoesNotFollowWritesNothing) {
  const Status status =
      store->commit({.batch = 7, .incarnation = ""}, {.experiments = {experiment_row(1)}});
  EXPECT_EQ(Code::aborted, status.code());
  EXPECT_EQ("batch 7 of master  does not follow batch 0 of master ", status.message());
  EXPECT_EQ(Code::not_found, store->experiment({1}).status().code());
}

TEST_F(Commit, TwiceIsRefusedTheSecondTime) {
  const LoopState first{.batch = 1, .incarnation = ""};
  ASSERT_EQ("", store->commit(first, one_change(1)).text());
  EXPECT_EQ(Code::aborted, store->commit(first, one_change(1)).code());
  EXPECT_EQ("1", sql("SELECT count(*) FROM changes"));
}

TEST_F(Commit, ThatIsRefusedReachesNoRow) {
  ASSERT_EQ("", write({.experiments = {experiment_row(1)}}).text());
  core::ExperimentRow other = experiment_row(1);
  other.name = "other";
  EXPECT_EQ(Code::aborted,
            store->commit({.batch = 1, .incarnation = ""}, {.experiments = {other}}).code());
  EXPECT_EQ(experiment_row(1), *store->experiment({1}));
}

TEST_F(Commit, OfEveryKindOfRowIsOneStatement) {
  ASSERT_EQ("", write({.experiments = {experiment_row(1)},
                       .trials = {trial_row(1)},
                       .allocations = {allocation_row(1)},
                       .searcher_events = {{.experiment = {1}, .number = 1, .event = Value(1)}},
                       .changes = {{.sequence = 1, .kind = "trial", .id = "1", .experiment = {1}}}})
                    .text());
  // All rows of a statement carry its command's number, those of the next a higher one.
  EXPECT_EQ("1", sql("SELECT count(DISTINCT c) FROM (SELECT cmin::text AS c FROM experiments "
                     "UNION ALL SELECT cmin::text FROM trials "
                     "UNION ALL SELECT cmin::text FROM allocations "
                     "UNION ALL SELECT cmin::text FROM searcher_events "
                     "UNION ALL SELECT cmin::text FROM changes) AS commands"));
}

TEST_F(Commit, OfAMasterThatWasReplacedIsRefused) {
  const auto second = open();
  ASSERT_TRUE(store->take_over("first").ok());
  ASSERT_EQ("", store->commit({.batch = 1, .incarnation = "first"}, one_change(1)).text());

  EXPECT_EQ((LoopState{.batch = 1, .incarnation = "second"}), *second->take_over("second"));

  const LoopState tried{.batch = 2, .incarnation = "first"};
  EXPECT_EQ(Code::aborted, store->commit(tried, one_change(2)).code());
  EXPECT_EQ(CommitVerdict::exit, core::judge_commit(tried, *store->loop_state()));
  EXPECT_EQ("", second->commit({.batch = 2, .incarnation = "second"}, one_change(2)).text());
}

TEST_F(Commit, ThatLosesTheConnectionInCommitIsUnknownAndCanBeWrittenAgain) {
  cut_off_at_change("DEFERRABLE INITIALLY DEFERRED");
  const LoopState tried{.batch = 1, .incarnation = ""};
  EXPECT_EQ(Code::unknown, store->commit(tried, one_change(1)).code());
  EXPECT_EQ(CommitVerdict::write_again, core::judge_commit(tried, *store->loop_state()));

  stop_cutting_off();
  EXPECT_EQ("", store->commit(tried, one_change(1)).text());
  EXPECT_EQ(CommitVerdict::perform, core::judge_commit(tried, *store->loop_state()));
}

TEST_F(Commit, ThatLosesTheConnectionBeforeCommitIsUnavailable) {
  cut_off_at_change("");
  EXPECT_EQ(Code::unavailable,
            store->commit({.batch = 1, .incarnation = ""}, one_change(1)).code());
  stop_cutting_off();
  EXPECT_EQ("", write(one_change(1)).text());
}

TEST_F(Commit, WithARowThatCannotBeIsRefusedWhole) {
  const Status status = write({.experiments = {experiment_row(1)}, .trials = {trial_row(1, 99)}});
  EXPECT_EQ(Code::failed_precondition, status.code());
  EXPECT_EQ("0|0", sql("SELECT (SELECT count(*) FROM experiments), batch FROM loop_state"));
}

TEST_F(Commit, OfManyRowsIsOneStatementAKind) {
  ASSERT_EQ("", sql("CREATE TABLE statements (name text)"));
  ASSERT_EQ("", sql("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
                    "'BEGIN INSERT INTO statements VALUES (TG_TABLE_NAME); RETURN NULL; END'"));
  ASSERT_EQ("", sql("CREATE TRIGGER note AFTER INSERT ON trials EXECUTE FUNCTION note()"));
  core::Writes writes{.experiments = {experiment_row(1)}};
  for (int id = 1; id <= 1000; id++) writes.trials.push_back(trial_row(id));
  ASSERT_EQ("", write(writes).text());
  EXPECT_EQ("1000|500500", sql("SELECT count(*), sum(id) FROM trials"));
  EXPECT_EQ("1", sql("SELECT count(*) FROM statements"));
}

}  // namespace
}  // namespace dt::master
