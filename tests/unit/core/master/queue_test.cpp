// The queue as people see it.
#include "core/master/queue.h"

#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

ParsedConfig urgent(int slots, int priority) {
  ParsedConfig config = single(slots);
  config.config.resources.priority = priority;
  return config;
}

// "1 running 2/0; 3 queued #1 0/2 (needs …)": held/wanted.
std::string text(const std::vector<Job>& queue) {
  std::string out;
  for (const Job& job : queue) {
    out += cat(out.empty() ? "" : "; ", job.experiment, " ", to_text(job.state),
               job.position > 0 ? cat(" #", job.position) : "", " ", job.slots_held, "/",
               job.slots_wanted, job.reason.empty() ? "" : cat(" (", job.reason, ")"));
  }
  return out;
}

TEST(Queue, IsInTheOrderInWhichTheSchedulerServes) {
  Cluster cluster("1x2");
  cluster.submit(single(2));
  cluster.submit(single(2));
  cluster.submit(urgent(2, 1));
  cluster.submit(single(1));
  EXPECT_EQ(text(cluster.master->queue()),
            "3 queued #1 0/2 (needs 2 slots; 0 of 2 are free); "
            "1 running 2/0; "
            "2 queued #2 0/2 (needs 2 slots; 0 of 2 are free); "
            "4 queued #3 0/1 (needs 1 slot; 0 of 2 are free)");
  cluster.exit_all(1, 0);
  EXPECT_EQ(cluster.trials(),
            "1 COMPLETED; 2 ACTIVE (needs 2 slots; 0 of 2 are free); 3 ACTIVE runs n1:2; "
            "4 ACTIVE (needs 1 slot; 0 of 2 are free)")
      << "number 1 was served";
  EXPECT_EQ(text(cluster.master->queue()).substr(0, 31), "3 running 2/0; 2 queued #1 0/2 ");
}

TEST(Queue, CountsWhatAJobHoldsAndWhatItWaitsFor) {
  Cluster cluster("1x4");
  cluster.submit(random_search(3, 2));
  const std::vector<Job> queue = cluster.master->queue();
  ASSERT_EQ(queue.size(), 1u);
  EXPECT_EQ(text(queue), "1 running #1 4/2 (needs 2 slots; 0 of 4 are free)");
  EXPECT_EQ(queue[0].trials_running, 2);
  EXPECT_EQ(queue[0].trials_waiting, 1);
  EXPECT_EQ(queue[0].trials,
            (std::vector<QueuedTrial>{
                {.trial = {3}, .slots = 2, .reason = "needs 2 slots; 0 of 4 are free"}}));
  EXPECT_EQ(queue[0].submitted_ms, 1'000'000);
}

TEST(Queue, EstimatesStartsFromTheProgressOfWhatRuns) {
  Cluster cluster("1x2");
  cluster.submit(single(1));
  cluster.submit(single(1));
  cluster.submit(single(1));
  cluster.submit(single(2));
  cluster.wait(Duration(60'000));
  const auto starts_in_s = [&] {
    std::string text;
    for (const Job& job : cluster.master->queue(cluster.now)) {
      if (job.position == 0) continue;
      const std::int64_t start = job.estimated_start_ms;
      text += cat(job.experiment, " ", start == 0 ? "?" : cat((start - to_ms(cluster.now)) / 1000),
                  "; ");
    }
    return text;
  };
  EXPECT_EQ(starts_in_s(), "3 ?; 4 ?; ") << "nobody has said how far he is";
  cluster.progress(1, 0.25);
  EXPECT_EQ(starts_in_s(), "3 180; 4 ?; ");
  cluster.progress(2, 0.5);
  EXPECT_EQ(starts_in_s(), "3 60; 4 ?; ") << "number 4 needs what number 3 will hold";
  cluster.set_state("n1", AgentState::draining);
  EXPECT_EQ(starts_in_s(), "3 60; 4 ?; ");
}

TEST(Queue, HasPausedJobsWithoutAPosition) {
  Cluster cluster("1x2");
  cluster.submit(single(2));
  cluster.order(1, Verb::pause);
  cluster.submit(single(2));
  EXPECT_EQ(text(cluster.master->queue()), "1 paused 0/0; 2 running 2/0");
  EXPECT_EQ(cluster.master->queue()[0].trials,
            (std::vector<QueuedTrial>{
                {.trial = {1}, .state = TrialState::paused, .slots = 2, .reason = "paused"}}));
}

TEST(Queue, NumbersEachPoolOnItsOwn) {
  Cluster cluster("", {.pools = {{"cpu", {}}, {"default", {}}}});
  ParsedConfig other = single(1);
  other.config.resources.resource_pool = "cpu";
  cluster.submit(single(1));
  cluster.submit(other);
  cluster.submit(other);
  EXPECT_EQ(text(cluster.master->queue()),
            "2 queued #1 0/1 (no agent has joined pool cpu); "
            "3 queued #2 0/1 (no agent has joined pool cpu); "
            "1 queued #1 0/1 (no agent has joined pool default)");
}

TEST(Queue, ForgetsWhatIsOver) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.exit_all(1, 0);
  EXPECT_EQ(text(cluster.master->queue()), "");
}

}  // namespace
}  // namespace dt::core
