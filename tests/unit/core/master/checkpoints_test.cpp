// Checkpoints between attempts.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

std::string checkpoints(const Cluster& cluster) {
  std::string text;
  for (const auto& [id, row] : cluster.rows.checkpoints) {
    text += cat(text.empty() ? "" : "; ", id, ' ', to_text(row.state));
  }
  return text;
}

TEST(Checkpoints, TheNextAttemptWaitsForTheUploadAndResumesFromIt) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.exit_all(1, 75);
  EXPECT_EQ(cluster.trials(),
            "1 ACTIVE SETTLING (waits until the checkpoints of attempt 1 are stored)");
  cluster.upload(1, "a");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"a"});
  const CheckpointSource& source = *cluster.agent("n1").assignments.at({1, 2}).checkpoint;
  EXPECT_EQ(source.step, 10);
  EXPECT_EQ(source.files, (std::vector<CheckpointFile>{{"part0", 3, "abc"}}));
}

TEST(Checkpoints, TheLatestIsTheLargestStepOfTheNewestAttempt) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  for (const auto& [id, at] : {std::pair{"b", 20}, {"a", 10}}) {
    cluster.checkpoint(1, id, at);
    cluster.upload(1, id);
  }
  EXPECT_EQ(cluster.rows.trials.at({1}).latest_checkpoint, CheckpointId{"b"});
  cluster.exit_all(1, 75);
  cluster.checkpoint(1, "c", 15);
  cluster.upload(1, "c");
  EXPECT_EQ(cluster.rows.trials.at({1}).latest_checkpoint, CheckpointId{"c"});
}

TEST(Checkpoints, APartThatWasNeverAnnouncedAbandonsItAtOnce) {
  Cluster cluster("2x1");
  cluster.submit(single(2));
  cluster.checkpoint(1, "a", 10, 0, 2);
  cluster.upload(1, "a", 0);
  cluster.exit(1, 0, 3);
  EXPECT_EQ(checkpoints(cluster), "a ABANDONED");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1 n2:1");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{});
}

TEST(Checkpoints, EveryPartMustBeStored) {
  Cluster cluster("2x1");
  cluster.submit(single(2));
  cluster.checkpoint(1, "a", 10, 1, 2);
  cluster.upload(1, "a", 1);
  cluster.checkpoint(1, "a", 10, 0, 2);
  EXPECT_EQ(checkpoints(cluster), "a PENDING");
  cluster.upload(1, "a", 0);
  EXPECT_EQ(checkpoints(cluster), "a STORED");
}

TEST(Checkpoints, ARepeatChangesNothingOfOneThatWasSuperseded) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  for (const auto& [id, at] : {std::pair{"a", 10}, {"b", 20}}) {
    cluster.checkpoint(1, id, at);
    cluster.upload(1, id);
  }
  const CheckpointRow before = cluster.rows.checkpoints.at({"a"});
  const std::size_t changes = cluster.rows.changes.size();
  cluster.upload(1, "a");  // the reply to the first was lost
  cluster.upload(1, "a", 0, "the file is gone");
  EXPECT_EQ(cluster.rows.checkpoints.at({"a"}), before);
  EXPECT_EQ(cluster.rows.changes.size(), changes);
  cluster.exit_all(1, 75);
  EXPECT_EQ(checkpoints(cluster), "a STORED; b STORED");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"b"}) << "nothing to wait for";
}

TEST(Checkpoints, AFailedUploadAbandonsIt) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a", 0, "hash of part0 is wrong");
  EXPECT_EQ(checkpoints(cluster), "a ABANDONED");
}

TEST(Checkpoints, AnAgentGivenUpTakesItsPartWithIt) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.exit_all(1, 75);
  const std::string first = cluster.attempt(1).nodes[0].agent.value;
  cluster.cut(first);
  cluster.forget(first);
  EXPECT_EQ(checkpoints(cluster), "a ABANDONED");
  EXPECT_EQ(cluster.rows.trials.at({1}).attempts, 2);
  cluster.upload(1, "a");  // the agent returned with it
  EXPECT_EQ(checkpoints(cluster), "a STORED");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{}) << "for later attempts only";
  EXPECT_EQ(cluster.rows.trials.at({1}).latest_checkpoint, CheckpointId{"a"});
}

// The agent held the record when it was given up, and returns with it and its files.
TEST(Checkpoints, OneFirstHeardOfAfterItsAttemptIsStoredForLaterOnes) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a");
  const AllocationId first = cluster.attempt(1).id;
  const std::string lost = cluster.attempt(1).nodes[0].agent.value;
  cluster.cut(lost);
  cluster.forget(lost);
  ASSERT_EQ(cluster.attempt(1).attempt, 2);
  cluster.checkpoint_of(first, "b", 20);
  EXPECT_EQ(checkpoints(cluster), "a STORED; b ABANDONED") << "nobody waits for it";
  cluster.restart();
  cluster.upload(1, "b");
  EXPECT_EQ(checkpoints(cluster), "a STORED; b STORED");
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"a"}) << "for later attempts only";
  cluster.exit_all(1, 75);
  EXPECT_EQ(cluster.attempt(1).resumed_from, CheckpointId{"b"});
}

TEST(Checkpoints, ALateOneNeverOutranksThoseOfTheAttemptThatRuns) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  const AllocationId first = cluster.attempt(1).id;
  const std::string lost = cluster.attempt(1).nodes[0].agent.value;
  cluster.cut(lost);
  cluster.forget(lost);
  cluster.checkpoint(1, "new", 5);
  cluster.upload(1, "new");
  cluster.checkpoint_of(first, "late", 20);
  cluster.upload(1, "late");
  EXPECT_EQ(checkpoints(cluster), "late STORED; new STORED");
  EXPECT_EQ(cluster.rows.trials.at({1}).latest_checkpoint, CheckpointId{"new"});
}

TEST(Checkpoints, OfAnExperimentThatIsOverNobodyTakesALateOne) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  const AllocationId first = cluster.attempt(1).id;
  cluster.exit_all(1, 0);
  cluster.checkpoint_of(first, "late", 20);
  cluster.upload(1, "late");
  EXPECT_EQ(checkpoints(cluster), "");
}

// What an attempt prepares from stays, whatever arrives meanwhile and whoever is the master.
TEST(Checkpoints, AnAttemptGoesOnPreparingFromOneThatALateArrivalSuperseded) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a");
  const AllocationId first = cluster.attempt(1).id;
  const std::string lost = cluster.attempt(1).nodes[0].agent.value;
  const std::string other = lost == "n1" ? "n2" : "n1";
  cluster.agent(other).obeys = false;
  cluster.cut(lost);
  cluster.forget(lost);
  cluster.checkpoint_of(first, "b", 20);
  cluster.upload(1, "b");
  cluster.restart();
  EXPECT_EQ(cluster.wanted(other), "1.2 prepare");
  EXPECT_EQ(cluster.agent(other).wanted.front().assignment->checkpoint->id, CheckpointId{"a"});
}

TEST(Checkpoints, AnUploadWithoutProgressIsGivenUpInTheEnd) {
  Cluster cluster("1x1", {.agent_lease = Duration(0), .upload_timeout = Duration(1'000)});
  cluster.submit(single(1));
  cluster.report(1, 1, 0.5);
  cluster.checkpoint(1, "a", 10);
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.experiments(), "1 STOPPING_COMPLETED") << "its model is still on its way";
  cluster.wait(Duration(900));
  cluster.step(UploadProgressed{cluster.attempt(1).id});
  cluster.wait(Duration(999));
  EXPECT_EQ(checkpoints(cluster), "a PENDING");
  cluster.wait(Duration(1));
  EXPECT_EQ(checkpoints(cluster), "a ABANDONED");
  EXPECT_EQ(cluster.experiments(), "1 COMPLETED");
}

TEST(Checkpoints, ThoseOfAnotherAttemptOrOfNonsenseAreIgnored) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.checkpoint(1, "", 10);
  cluster.checkpoint(1, "x", 10, 5, 2);
  EXPECT_EQ(checkpoints(cluster), "");
  cluster.checkpoint(1, "a", 10);
  cluster.upload(1, "a");
  cluster.exit_all(1, 75);
  cluster.checkpoint(1, "a", 99);
  EXPECT_EQ(cluster.rows.checkpoints.at({"a"}).step, 10);
}

}  // namespace
}  // namespace dt::core
