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

TEST(SearchLog, AppendsEveryEventAndASnapshotEvery256) {
  Writes writes;
  SearchLog log({3}, config());
  log.append(start_event(), writes);
  for (int trial = 0; trial < 300; ++trial)
    log.append(exit_event(trial, ExitReason::completed), writes);
  EXPECT_EQ(writes.searcher_events.size(), 301u);
  EXPECT_EQ(writes.searcher_events.back().number, 301);
  ASSERT_EQ(writes.searcher_snapshots.size(), 1u);
  EXPECT_EQ(writes.searcher_snapshots[0].number, 256);
  EXPECT_EQ(log.recent().size(), 45u);
}

TEST(SearchLog, SnapshotAndReplayGoOnAsIfNothingHadHappened) {
  for (const int exits : {0, 10, 254, 255, 256, 300}) {
    Writes writes;
    SearchLog log({3}, config());
    log.append(start_event(), writes);
    for (int i = 0; i < exits; ++i) log.append(exit_event(i, ExitReason::completed), writes);
    SearchLog again({3}, config());
    ASSERT_TRUE(again.restore(log.snapshot(), log.recent()).ok());
    EXPECT_EQ(again.events(), log.events());
    EXPECT_EQ(text_of(again.append(exit_event(exits, ExitReason::errored), writes)),
              text_of(log.append(exit_event(exits, ExitReason::errored), writes)))
        << "after " << exits;
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
      "event 2 of the search of experiment 3: neither start, validation nor exited");
}

}  // namespace
}  // namespace dt::core
