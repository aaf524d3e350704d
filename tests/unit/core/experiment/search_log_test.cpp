#include "core/experiment/search_log.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "formats/json.h"

namespace dt::core {
namespace {

ExperimentConfig config() {
  ExperimentConfig config;
  config.hyperparameters = {{"lr", {DoubleParameter{.minval = 0, .maxval = 1}}}};
  config.searcher.metric = "loss";
  config.searcher.method = RandomSearch{.max_trials = 500, .max_concurrent_trials = 2};
  return config;
}

std::string text_of(const SearchOperations& operations) {
  std::string text;
  for (const SearchOperation& operation : operations) {
    if (const auto* create = std::get_if<CreateTrial>(&operation)) {
      text += cat("create ", create->trial, ' ', create->trial_seed, ' ', to_json(create->hparams),
                  "; ");
    }
  }
  return text;
}

// The start, and so many reports of the first of its two trials.
void fill(SearchLog& log, int reports, Writes& writes) {
  log.append(start_event(), writes);
  for (int step = 1; step <= reports; ++step) {
    log.append(validation_event({.trial = 0, .metric = 1.0 / step, .time = step}, step), writes);
  }
}

TEST(SearchLog, AppendsEveryEventAndASnapshotAfter256) {
  Writes writes;
  SearchLog log({3}, config());
  fill(log, 300, writes);
  EXPECT_EQ(writes.searcher_events.size(), 301u);
  EXPECT_EQ(writes.searcher_events.back().number, 301);
  ASSERT_EQ(writes.searcher_snapshots.size(), 1u);
  EXPECT_EQ(writes.searcher_snapshots[0].number, 256);
  EXPECT_EQ(log.recent().size(), 45u);
}

// DESIGN §4: bytes committed an event do not grow with the number of trials.
TEST(SearchLog, SnapshotsOfAWideSearchAreAsFarApartAsItHasTrials) {
  ExperimentConfig wide = config();
  wide.searcher.method = RandomSearch{.max_trials = 3'000, .max_concurrent_trials = 2'000};
  Writes writes;
  SearchLog log({3}, wide);
  log.append(start_event(), writes);
  for (int trial = 0; trial < 2'999; ++trial)
    log.append(exit_event(trial, ExitReason::completed), writes);
  ASSERT_EQ(writes.searcher_snapshots.size(), 1u);
  EXPECT_EQ(writes.searcher_snapshots[0].number, 3'000);
  std::size_t bytes = 0;
  for (const SearcherSnapshotRow& row : writes.searcher_snapshots) {
    bytes += to_json(row.snapshot).size();
  }
  EXPECT_LT(bytes / writes.searcher_events.size(), 100u);
}

TEST(SearchLog, SnapshotAndReplayGoOnAsIfNothingHadHappened) {
  for (const int reports : {0, 10, 254, 255, 256, 300}) {
    Writes writes;
    SearchLog log({3}, config());
    fill(log, reports, writes);
    EXPECT_EQ(log.snapshot().has_value(), reports >= 255);
    SearchLog again({3}, config());
    ASSERT_TRUE(again.restore(log.snapshot(), log.recent()).ok());
    EXPECT_EQ(again.events(), log.events());
    EXPECT_EQ(text_of(again.append(exit_event(0, ExitReason::errored), writes)),
              text_of(log.append(exit_event(0, ExitReason::errored), writes)))
        << "after " << reports;
  }
}

TEST(SearchLog, KeepsNaNAndTheTimeOfAValidation) {
  EXPECT_EQ(to_json(validation_event({.trial = 2, .metric = 0.0 / 0.0, .time = 7}, 5)),
            R"({"event":"validation","metric":"NaN","step":5,"time":7,"trial":2})");
}

TEST(SearchLog, RefusesWhatItCannotRead) {
  const auto refusal = [](const std::vector<SearcherEventRow>& events) {
    return SearchLog({3}, config()).restore(std::nullopt, events).message();
  };
  EXPECT_EQ(refusal({{{3}, 2, start_event()}}), "the search of experiment 3 lacks event 1");
  EXPECT_EQ(refusal({{{3}, 1, start_event()}, {{3}, 2, start_event()}}),
            "event 2 of the search of experiment 3: a second start");
  EXPECT_EQ(refusal({{{3}, 1, start_event()}, {{3}, 2, exit_event(9, ExitReason::errored)}}),
            "event 2 of the search of experiment 3: no trial 9");
  EXPECT_EQ(
      refusal({{{3}, 1, start_event()}, {{3}, 2, Value::Object{{"event", "x"}, {"trial", 0}}}}),
      "event 2 of the search of experiment 3: neither start, proposed, "
      "wall_time_over, validation nor exited");
}

}  // namespace
}  // namespace dt::core
