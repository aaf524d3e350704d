#include "core/search/custom.h"

#include <gtest/gtest.h>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

class Custom : public testing::Test {
 protected:
  std::string propose(const Proposal& proposal) {
    const auto operations = searcher_.propose(proposal);
    return operations.ok() ? text_of(*operations) : operations.status().message();
  }
  static Value point(double rate) {
    return Value::Object{
        {"batch", 64}, {"kind", "a"}, {"optimizer", Value::Object{{"rate", rate}, {"width", 3}}}};
  }

  Searcher searcher_{{.metric = "loss", .method = CustomSearch{}}, small_space(), 0};
};

TEST_F(Custom, DoesWhatItIsTold) {
  EXPECT_EQ(text_of(searcher_.start()), "");
  EXPECT_EQ(propose(ProposeTrial{point(.5)}), "create 0");
  EXPECT_EQ(propose(ProposeTrial{point(.6)}), "create 1");
  EXPECT_EQ(propose(PauseTrial{0}), "pause 0");
  EXPECT_EQ(propose(ResumeTrial{0}), "resume 0");
  EXPECT_EQ(propose(StopTrial{0}), "stop 0");
}

TEST_F(Custom, WaitsForItsProgramAndEndsWhenThatIsDone) {
  (void)searcher_.start();
  propose(ProposeTrial{point(.5)});
  EXPECT_EQ(text_of(searcher_.trial_exited(0, ExitReason::completed)), "");
  propose(ProposeTrial{point(.6)});
  EXPECT_EQ(propose(FinishSearch{}), "");
  EXPECT_EQ(propose(ProposeTrial{point(.7)}), "the search was finished");
  EXPECT_EQ(text_of(searcher_.trial_exited(1, ExitReason::completed)), "shutdown");
}

TEST_F(Custom, EndsAtOnceWhenNothingRuns) {
  (void)searcher_.start();
  EXPECT_EQ(propose(FinishSearch{}), "shutdown");
}

TEST_F(Custom, RefusesAPointOutsideTheSpace) {
  (void)searcher_.start();
  EXPECT_EQ(propose(ProposeTrial{point(1.5)}),
            "hyperparameter optimizer.rate must be a number from 0 to 1, not 1.5");
  EXPECT_EQ(propose(ProposeTrial{Value::Object{{"kind", "a"}}}), "hyperparameter batch is missing");
  Value more = point(.5);
  more.set("depth", 3);
  EXPECT_EQ(propose(ProposeTrial{more}), "hyperparameter depth is not in the space");
  Value other = point(.5);
  other.set("kind", "c");
  EXPECT_EQ(propose(ProposeTrial{other}),
            "hyperparameter kind must be one of its values, not \"c\"");
  EXPECT_EQ(searcher_.trials_requested(), 0);
}

TEST_F(Custom, RefusesOrdersToTrialsThatAreNotOrAreOver) {
  (void)searcher_.start();
  EXPECT_EQ(propose(StopTrial{0}), "the search has no trial 0");
  propose(ProposeTrial{point(.5)});
  (void)searcher_.trial_exited(0, ExitReason::completed);
  EXPECT_EQ(propose(StopTrial{0}), "trial 0 is over");
}

TEST(Proposals, AreForCustomSearchesOnly) {
  Searcher searcher(random_of(1, 1), small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(searcher.propose(FinishSearch{}).status().message(),
            "this search proposes its trials itself; only a custom one is told");
}

TEST(TargetMetric, EndsTheSearchWhenATrialReachesIt) {
  SearcherConfig config = random_of(10, 2);
  config.target_metric = 0.1;
  Searcher searcher(config, small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.validation_completed({0, .2, 1})), "");
  EXPECT_EQ(text_of(searcher.validation_completed({1, .1, 1})), "stop 0, stop 1");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::completed)), "shutdown");
}

TEST(WallTime, EndsTheSearchOnce) {
  SearcherConfig config = halving_of({.max_trials = 9, .promote = true});
  Searcher searcher(config, small_space(), 0);
  (void)searcher.start();
  (void)searcher.validation_completed({0, .5, 1});
  EXPECT_EQ(text_of(searcher.wall_time_is_over()), "stop 0, stop 1, stop 2");
  EXPECT_EQ(searcher.limit_reached(), SearchLimit::wall_time);
  EXPECT_EQ(text_of(searcher.wall_time_is_over()), "");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::completed)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(1, ExitReason::errored)), "");
  EXPECT_EQ(text_of(searcher.trial_exited(2, ExitReason::completed)), "shutdown");
}

TEST(WallTime, ACustomSearchBeginsNothingAfterIt) {
  Searcher searcher({.metric = "loss", .method = CustomSearch{}}, constants(), 0);
  (void)searcher.start();
  const ProposeTrial trial{.hparams = Value::Object{{"batch", 64}}};
  ASSERT_TRUE(searcher.propose(trial).ok());
  EXPECT_EQ(text_of(searcher.wall_time_is_over()), "stop 0");
  EXPECT_EQ(searcher.propose(trial).status().message(),
            "the search has reached its limit; it begins nothing new");
  EXPECT_EQ(text_of(searcher.trial_exited(0, ExitReason::completed)), "shutdown");
}

TEST(WallTime, EndsACustomSearchThatWaitsForProposals) {
  Searcher searcher({.metric = "loss", .method = CustomSearch{}}, small_space(), 0);
  (void)searcher.start();
  EXPECT_EQ(text_of(searcher.wall_time_is_over()), "shutdown");
}

TEST(TargetMetric, StopsPausedTrialsToo) {
  SearcherConfig config = halving_of({.max_trials = 9, .promote = true});
  config.target_metric = 0.1;
  Searcher searcher(config, small_space(), 0);
  (void)searcher.start();
  (void)searcher.validation_completed({0, .5, 1});
  EXPECT_EQ(text_of(searcher.validation_completed({1, .01, 1})), "pause 1, stop 0, stop 1, stop 2");
}

}  // namespace
}  // namespace dt::core
