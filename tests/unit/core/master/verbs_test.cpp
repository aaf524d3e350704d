// Verbs on experiments that have ended, on many at once, and changes of a live job.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

// One experiment of a single trial that has reported and completed.
void complete(Cluster& cluster, int trial) {
  cluster.report(trial, 10, 0.5);
  cluster.exit_all(trial, 0);
}

TEST(Verbs, OnlyWhatHasEndedIsArchived) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  EXPECT_EQ(cluster.order(1, Verb::archive),
            "failed_precondition: experiment 1 is ACTIVE; cannot archive it (cancel or kill it "
            "first, or wait)");
  complete(cluster, 1);
  EXPECT_EQ(cluster.order(1, Verb::archive), R"({"archived":true,"state":"COMPLETED"})");
  EXPECT_TRUE(cluster.rows.experiments.at({1}).archived);
  EXPECT_EQ(cluster.order(1, Verb::archive), R"({"archived":true,"state":"COMPLETED"})");
  EXPECT_EQ(cluster.order(1, Verb::unarchive), R"({"archived":false,"state":"COMPLETED"})");
  EXPECT_FALSE(cluster.rows.experiments.at({1}).archived);
  EXPECT_TRUE(cluster.master->dump().experiments.empty()) << "it is not kept in memory";
}

TEST(Verbs, AVerbThatAnEndedExperimentCannotObeyNamesItsState) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  complete(cluster, 1);
  EXPECT_EQ(cluster.order(1, Verb::pause),
            "failed_precondition: experiment 1 is COMPLETED; cannot pause it (dtctl experiment "
            "continue lets an ended one go on)");
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(Verbs, ManyAtOnceHaveAResultEach) {
  Cluster cluster("1x4");
  cluster.submit(single(1));
  cluster.submit(single(1));
  complete(cluster, 2);
  EXPECT_EQ(cluster.order({1, 2, 9}, Verb::pause),
            R"([{"id":1,"state":"PAUSED"},)"
            R"({"error":{"code":9,"hint":"dtctl experiment continue lets an ended one go on",)"
            R"("message":"experiment 2 is COMPLETED; cannot pause it"},"id":2},)"
            R"({"error":{"code":5,"hint":"","message":"experiment 9 does not exist"},"id":9}])");
  EXPECT_EQ(cluster.trials(), "1 PAUSED (paused); 2 COMPLETED");
  EXPECT_EQ(cluster.order({1, 2}, Verb::kill).find(R"([{"id":1,"state":"CANCELED"})"), 0u);
}

TEST(Verbs, ADeletedExperimentIsGoneWhenAllOfItIs) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  EXPECT_EQ(cluster.order(1, Verb::erase),
            "failed_precondition: experiment 1 is ACTIVE; cannot delete it (cancel or kill it "
            "first, or wait)");
  complete(cluster, 1);
  EXPECT_EQ(cluster.order(1, Verb::erase), R"({"state":"DELETING"})");
  EXPECT_EQ(cluster.order(1, Verb::unarchive), R"({"archived":false,"state":"DELETING"})");
  EXPECT_EQ(cluster.go_on(1), "failed_precondition: experiment 1 is DELETING");
  cluster.restart();
  EXPECT_EQ(cluster.end_deletion(1, "disk 3 is away"), R"({"state":"DELETE_FAILED"})");
  EXPECT_EQ(cluster.rows.experiments.at({1}).message, "could not be deleted: disk 3 is away");
  EXPECT_EQ(cluster.order(1, Verb::erase), R"({"state":"DELETING"})") << "tried again";
  EXPECT_EQ(cluster.end_deletion(1), R"({"state":"DELETED"})");
  EXPECT_EQ(cluster.experiments(), "");
  EXPECT_EQ(cluster.rows.changes.back().kind, "experiment") << "Watch hears of it";
  EXPECT_EQ(cluster.order(1, Verb::erase), "not_found: experiment 1 is deleted");
  cluster.submit(single(1));
  EXPECT_EQ(cluster.experiments(), "2 ACTIVE") << "ids are not used again";
}

TEST(Continue, ASingleTrialGoesOnFromItsCheckpoint) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "c1", 10);
  cluster.upload(1, "c1");
  complete(cluster, 1);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.go_on(1), R"({"trials":[1],"warnings":[]})");
  EXPECT_EQ(cluster.experiments(), "1 ACTIVE");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.attempt(1).attempt, 2);
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"c1"});
  EXPECT_EQ(cluster.rows.experiments.at({1}).progress, 0);
  cluster.restart();
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  cluster.report(1, 20, 0.25);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.rows.trials.at({1}).best_metric, 0.25);
  EXPECT_EQ(cluster.rows.experiments.at({1}).progress, 1);
}

TEST(Continue, ASingleTrialTakesChangesOfItsConfiguration) {
  Cluster cluster("1x2");
  cluster.submit(configured("name: single", 1, "max_restarts: 0\n"));
  const Value before = cluster.rows.trials.at({1}).hparams;
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.experiments(), "1 ERROR: every trial failed; trial 1: rank 0 exited with 1");
  cluster.go_on(1, {{"hyperparameters.steps", 500}, {"max_restarts", 2}});
  const Value after = cluster.rows.trials.at({1}).hparams;
  EXPECT_EQ(after["steps"], Value(500));
  EXPECT_EQ(after["lr"], before["lr"]) << "what is drawn is drawn from the same stream";
  EXPECT_EQ(cluster.agent("n1").assignments.at({1, 2}).config["max_restarts"], Value(2));
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 1) << "restarts count anew";
  EXPECT_EQ(cluster.experiments(), "1 ACTIVE");
  EXPECT_EQ(cluster.go_on(1, {{"max_restarts", 9}}),
            "failed_precondition: experiment 1 is ACTIVE; only one that has ended can be continued "
            "(wait until it has ended)");
}

TEST(Continue, AMistakeInTheChangesLeavesItEnded) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  complete(cluster, 1);
  EXPECT_NE(cluster.go_on(1, {{"max_restarts", "many"}}).find("max_restarts"), std::string::npos);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_TRUE(cluster.master->dump().experiments.empty());
}

// The search does not hear of what people canceled, so it goes on as if nothing had happened.
TEST(Continue, ACanceledSearchGoesOnSearching) {
  Cluster calm("1x1");
  Cluster rough("1x1");
  for (Cluster* cluster : {&calm, &rough}) cluster->submit(random_search(3, 1));
  rough.order(1, Verb::cancel);
  EXPECT_EQ(rough.experiments(), "1 CANCELED");
  EXPECT_EQ(rough.trials(), "1 CANCELED; 2 CANCELED; 3 CANCELED");
  EXPECT_EQ(rough.go_on(1), R"({"trials":[1,2,3],"warnings":[]})");
  for (Cluster* cluster : {&calm, &rough}) {
    for (const int trial : {1, 2, 3}) complete(*cluster, trial);
    EXPECT_EQ(cluster->experiments(), "1 COMPLETED");
  }
  EXPECT_EQ(rough.rows.events.at({1}), calm.rows.events.at({1}));
}

TEST(Continue, OnlyWhatFailedRunsAgainAndItsSearchIsOver) {
  Cluster cluster("1x3");
  cluster.submit(random_search(3, 1, "max_restarts: 0\n"));
  complete(cluster, 1);
  cluster.exit_all(2, 1);
  complete(cluster, 3);
  EXPECT_EQ(cluster.experiments(),
            "1 COMPLETED: 1 of 3 trials failed; trial 2: rank 0 exited with 1");
  const std::size_t events = cluster.rows.events.at({1}).size();
  EXPECT_EQ(cluster.go_on(1), R"({"trials":[2],"warnings":[]})");
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 ACTIVE runs n1:1; 3 COMPLETED");
  complete(cluster, 2);
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 COMPLETED; 3 COMPLETED");
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.rows.events.at({1}).size(), events) << "it had judged that trial";
  EXPECT_EQ(cluster.go_on(1),
            "failed_precondition: every trial of experiment 1 is complete (name the trials that "
            "shall go on, or fork it)");
}

TEST(Continue, ANamedTrialGoesOnThoughTheSearchHadStoppedIt) {
  Cluster cluster("1x2");
  cluster.submit(halving(2, 2));
  cluster.report(1, 1, 0.1);
  cluster.report(2, 1, 0.9);
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 COMPLETED");
  cluster.report(1, 4, 0.1);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.go_on(1, {}, {{2}}), R"({"trials":[2],"warnings":[]})");
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 ACTIVE runs n1:1");
  cluster.report(2, 2, 0.05);
  EXPECT_EQ(cluster.trials(), "1 COMPLETED; 2 ACTIVE runs n1:1") << "nobody judges it";
  cluster.exit_all(2, 0);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.rows.experiments.at({1}).best_trial, TrialId{2});
  EXPECT_EQ(cluster.go_on(1, {}, {{7}}), "not_found: trial 7 is none of experiment 1");
}

TEST(Continue, ANamedTrialOfACanceledSearchLeavesTheRestAlone) {
  Cluster cluster("1x1");
  cluster.submit(random_search(3, 1));
  cluster.order(1, Verb::kill);
  cluster.go_on(1, {}, {{2}});
  complete(cluster, 2);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
  EXPECT_EQ(cluster.trials(), "1 CANCELED; 2 COMPLETED; 3 CANCELED");
  EXPECT_EQ(cluster.go_on(1), R"({"trials":[1,3],"warnings":[]})") << "and then with all";
  complete(cluster, 1);
  complete(cluster, 3);
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(Continue, ASearchKeepsItsSpaceAndRule) {
  Cluster cluster("1x1");
  cluster.submit(random_search(2, 1));
  cluster.order(1, Verb::kill);
  EXPECT_EQ(cluster.go_on(1, {{"searcher.max_trials", 9}}),
            "failed_precondition: searcher: cannot be changed when a search of several trials goes "
            "on (fork the experiment)");
  EXPECT_EQ(cluster.go_on(1, {{"max_restarts", 9}}), R"({"trials":[1,2],"warnings":[]})");
}

TEST(Continue, ItQueuesAnew) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.submit(single(1));
  complete(cluster, 1);
  cluster.wait(Duration(1'000));
  cluster.submit(single(1));
  cluster.wait(Duration(1'000));
  cluster.go_on(1);
  complete(cluster, 2);
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE (needs 1 slot; 0 of 1 are free); 2 COMPLETED; 3 ACTIVE runs "
            "n1:1");
}

TEST(Edit, ChangesWhatIsShownWheneverItIs) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  complete(cluster, 1);
  EXPECT_EQ(cluster.edit(1, {.name = "better",
                             .description = "the second try",
                             .notes = "look at step 300",
                             .labels = {{"a", "b", "a"}},
                             .add_labels = {"c"},
                             .remove_labels = {"b"}}),
            R"({"id":1})");
  const ExperimentRow& row = cluster.rows.experiments.at({1});
  EXPECT_EQ(row.name, "better");
  EXPECT_EQ(row.notes, "look at step 300");
  EXPECT_EQ(row.config["description"], Value("the second try"));
  EXPECT_EQ(row.config["labels"], Value(Value::Array{"a", "c"}));
  EXPECT_EQ(cluster.edit(1, {.priority = 3}),
            "failed_precondition: experiment 1 is COMPLETED; weight, priority and max_slots are "
            "those of a job in the queue (continue it, or fork it)");
}

TEST(Edit, RefusesWhatNoConfigurationMayHave) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  EXPECT_NE(cluster.edit(1, {.priority = 100}).find("resources.priority"), std::string::npos);
  EXPECT_NE(cluster.edit(1, {.weight = -1}).find("resources.weight"), std::string::npos);
  EXPECT_EQ(cluster.rows.experiments.at({1}).priority, 42);
}

TEST(Edit, AnotherPriorityIsAnotherTurn) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.submit(single(1));
  cluster.submit(single(1));
  cluster.edit(3, {.priority = 1});
  cluster.restart();
  complete(cluster, 1);
  EXPECT_EQ(cluster.trials(),
            "1 COMPLETED; 2 ACTIVE (needs 1 slot; 0 of 1 are free); 3 ACTIVE runs "
            "n1:1");
}

TEST(Edit, ALoweredLimitOfSlotsIsKeptAtOnce) {
  Cluster cluster("1x3");
  cluster.submit(random_search(3, 1));
  EXPECT_EQ(cluster.edit(1, {.max_slots = 1}), R"({"id":1})");
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE runs n1:1; 2 ACTIVE (experiment 1 may hold 1 slots (resources.max_slots) and "
            "holds 1); 3 ACTIVE (experiment 1 may hold 1 slots (resources.max_slots) and holds 1)");
  EXPECT_EQ(cluster.rows.trials.at({3}).restarts, 0);
  cluster.edit(1, {.max_slots = 0});
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1; 2 ACTIVE runs n1:1; 3 ACTIVE runs n1:1");
}

}  // namespace
}  // namespace dt::core
