// Every kind of row comes back as it was written.
#include <cmath>
#include <limits>

#include "formats/json.h"
#include "tests/unit/store/fixture.h"

namespace dt::master {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Quotes, SQL, JSON, scripts, other alphabets, control characters.
const std::string hostile =
    "Robert'); DROP TABLE trials;-- \"\\ {\"a\":1} <b> \t\r\n € 漢字 🦊 \x01";

class Rows : public StoreTest {};

core::ExperimentRow full_experiment() {
  return {.id = {most},
          .owner = hostile,
          .name = hostile,
          .state = core::ExperimentState::stopping_canceled,
          .config = Value::Object{{hostile, hostile}, {"nul", std::string("a\0b", 3)}},
          .config_text = hostile,
          .context = {"abc"},
          .priority = 7,
          .created_ms = least,
          .ended_ms = most,
          .progress = 0.1 + 0.2,
          .searcher_events = most,
          .searcher_done = true,
          .best_trial = {most},
          .best_metric = -0.0,
          .message = hostile,
          .forked_from = {most},
          .archived = true,
          .notes = hostile,
          .tidied = true,
          .queued_ms = most};
}

core::TrialRow full_trial() {
  return {.id = {most},
          .experiment = {most},
          .number = 3,
          .request_id = hostile,
          .seed = 4294967295u,
          .hparams = Value::Object{{"lr", 1e-300}, {"layers", Value::Array{1, 2}}},
          .state = core::TrialState::stopping_error,
          .attempts = 4,
          .restarts = 3,
          .stopped_by_searcher = true,
          .exit_told = true,
          .latest_checkpoint = {hostile},
          .latest_step = least,
          .latest_metric = std::numeric_limits<double>::infinity(),
          .best_metric = std::numeric_limits<double>::denorm_min(),
          .best_step = most,
          .progress = 1,
          .created_ms = 1,
          .ended_ms = 2,
          .message = hostile,
          .excluded_agents = {{hostile}, {"n2"}},
          .log_policy = hostile,
          .retries_canceled = true};
}

core::AllocationRow full_allocation() {
  const core::AllocationNode node{
      .agent = {hostile},
      .node_rank = 1,
      .first_rank = 2,
      .slot_ids = {"cpu0", hostile},
      .phase = core::AllocationPhase::lost,
      .address = "10.0.0.1",
      .port = 29500,
      .exits = {{.rank = 2, .code = 137, .signal = 9, .ordered = core::Order::kill, .seq = most}},
      .exits_read = {2, 3},
      .failure = hostile,
      .infrastructure = true,
      .released = true,
      .given_up = true};
  return {.id = {.epoch = 3, .number = most},
          .trial = {most},
          .experiment = {most},
          .attempt = 5,
          .size = 4,
          .state = core::AllocationState::settling,
          .nodes = {node, {.agent = {"b"}}},
          .resumed_from = {hostile},
          .order = core::Order::preempt,
          .preempt_deadline_ms = most,
          .created_ms = 1,
          .started_ms = 2,
          .ended_ms = 3,
          .outcome = hostile};
}

core::CheckpointRow full_checkpoint() {
  return {.id = {hostile},
          .trial = {most},
          .allocation = {.epoch = 3, .number = most},
          .step = most,
          .parts = 2,
          .parts_announced = {0, 1},
          .parts_stored = {1},
          .files = {{.path = hostile, .bytes = most, .sha256 = "ff"}},
          .state = core::CheckpointState::pending,
          .metadata = Value::Object{{"framework", hostile}},
          .created_ms = 5};
}

core::AgentRow full_agent() {
  return {
      .id = {hostile},
      .machine_id = hostile,
      .boot_id = "boot",
      .name = hostile,
      .address = "127.0.0.1",
      .pool = "default",
      .slots = {{.id = "cpu0"}, {.id = hostile, .kind = core::SlotKind::cuda, .device = hostile}},
      .version = "0.1.0",
      .session = most,
      .connected = true,
      .joined_ms = 6,
      .state = core::AgentState::draining,
      .disabled_slots = {hostile}};
}

core::Recovered everything() {
  return {.cluster = {.cluster_id = hostile,
                      .cluster_epoch = 3,
                      .last_experiment = most,
                      .last_trial = most,
                      .last_allocation = most,
                      .last_session = most,
                      .last_change = most},
          .experiments = {full_experiment()},
          .trials = {full_trial()},
          .allocations = {full_allocation()},
          .checkpoints = {full_checkpoint()},
          .agents = {full_agent()},
          .searcher_snapshots = {{.experiment = {most}, .number = 2, .snapshot = Value(hostile)}},
          .searcher_events = {{.experiment = {most},
                               .number = 3,
                               .event = Value::Object{{"metric", 0.1}, {"time", most}}}}};
}

core::Writes as_writes(const core::Recovered& all) {
  return {.experiments = all.experiments,
          .trials = all.trials,
          .allocations = all.allocations,
          .checkpoints = all.checkpoints,
          .agents = all.agents,
          .searcher_events = all.searcher_events,
          .searcher_snapshots = all.searcher_snapshots,
          .cluster = all.cluster};
}

TEST_F(Rows, OfEveryKindComeBackAsTheyWereWritten) {
  ASSERT_EQ("", write(as_writes(everything())).text());
  const core::Recovered loaded = *store->load();
  EXPECT_EQ(everything().cluster, loaded.cluster);
  EXPECT_EQ(everything().experiments, loaded.experiments);
  EXPECT_EQ(everything().trials, loaded.trials);
  EXPECT_EQ(everything().allocations, loaded.allocations);
  EXPECT_EQ(everything().checkpoints, loaded.checkpoints);
  EXPECT_EQ(everything().agents, loaded.agents);
  EXPECT_EQ(everything().searcher_snapshots, loaded.searcher_snapshots);
  EXPECT_EQ(everything().searcher_events, loaded.searcher_events);
  EXPECT_EQ(everything(), loaded);
}

TEST_F(Rows, KeepTheSignOfZeroAndNotANumber) {
  core::ExperimentRow zero = experiment_row(1);
  zero.best_metric = -0.0;
  core::ExperimentRow nan = experiment_row(2);
  nan.best_metric = std::numeric_limits<double>::quiet_NaN();
  ASSERT_EQ("", write({.experiments = {zero, nan}}).text());
  EXPECT_TRUE(std::signbit(*store->experiment({1})->best_metric));
  EXPECT_TRUE(std::isnan(*store->experiment({2})->best_metric));
}

TEST_F(Rows, KeepTheExactTextOfTheConfiguration) {
  core::ExperimentRow row = experiment_row(1);
  row.config = *parse_json(R"({"z":1,"a":1.0,"big":9007199254740993,"nul":"\u0000"})");
  ASSERT_EQ("", write({.experiments = {row}}).text());
  EXPECT_EQ(to_json(row.config), sql("SELECT config FROM experiments"));
  EXPECT_EQ(row.config, store->experiment({1})->config);
}

TEST_F(Rows, WrittenAgainAreReplaced) {
  core::Recovered later = everything();
  ASSERT_EQ("", write(as_writes(later)).text());
  later.experiments[0].best_metric.reset();
  later.trials[0].message = "later";
  later.allocations[0].nodes.pop_back();
  later.checkpoints[0].parts_stored = {0, 1};
  later.agents[0].connected = false;
  later.searcher_snapshots[0] = {.experiment = {most}, .number = 3, .snapshot = Value(1)};
  core::Writes writes = as_writes(later);
  writes.searcher_events.clear();  // these only append
  ASSERT_EQ("", write(writes).text());
  later.searcher_events.clear();  // all are in the snapshot now
  EXPECT_EQ(later, *store->load());
}

TEST_F(Rows, WithIdsOfTenKilobytesAreKept) {
  const std::string noise = [] {
    std::string text;  // does not compress, so no index could hold it
    for (int i = 0; text.size() < 10'000; i++) text += std::to_string(i * 2654435761u);
    return text;
  }();
  begin_trial();
  core::CheckpointRow checkpoint{.id = {noise}, .trial = {1}, .allocation = {1, 1}};
  core::AgentRow agent{.id = {noise}};
  core::RequestRow request{.request_id = noise, .created_ms = most};
  for (int time = 0; time < 2; time++) {
    ASSERT_EQ(
        "", write({.checkpoints = {checkpoint}, .agents = {agent}, .requests = {request}}).text());
  }
  EXPECT_EQ(std::vector{checkpoint}, *store->checkpoints_of({1}));
  EXPECT_EQ(std::vector{agent}, *store->list_agents());
  EXPECT_EQ(std::vector{request}, store->load()->requests);
}

TEST_F(Rows, WithTextThatIsNoUtf8AreKeptReadable) {
  core::ExperimentRow row = experiment_row(1);
  row.name = std::string("a\0b\xff", 4);
  ASSERT_EQ("", write({.experiments = {row}}).text());
  EXPECT_EQ(
      "a\xEF\xBF\xBD"
      "b\xEF\xBF\xBD",
      store->experiment({1})->name);
}

TEST_F(Rows, ThatAreOverAreNotLoaded) {
  core::ExperimentRow over = experiment_row(2);
  over.state = core::ExperimentState::completed;
  core::AllocationRow ended = allocation_row(1);
  ended.state = core::AllocationState::ended;
  core::TrialRow resumed = trial_row(1);
  resumed.latest_checkpoint = {"latest"};
  const core::CheckpointRow old{
      .id = {"old"}, .trial = {1}, .state = core::CheckpointState::stored};
  const core::CheckpointRow latest{
      .id = {"latest"}, .trial = {1}, .state = core::CheckpointState::stored};
  const core::CheckpointRow pending{.id = {"pending"}, .trial = {1}};
  core::CheckpointRow needed = old;
  needed.id = {"needed"};
  core::AllocationRow prepares = allocation_row(2);
  prepares.resumed_from = needed.id;
  core::AllocationRow runs = allocation_row(3);
  runs.resumed_from = old.id;
  runs.order = core::Order::run;
  ASSERT_EQ("", write({.experiments = {experiment_row(1), over},
                       .trials = {resumed, trial_row(2, 2)},
                       .allocations = {ended, prepares, runs},
                       .checkpoints = {old, latest, pending, needed},
                       .agents = {{.id = {"gone"}, .forgotten = true}, {.id = {"here"}}},
                       .searcher_events = {{.experiment = {1}, .number = 1},
                                           {.experiment = {1}, .number = 2},
                                           {.experiment = {2}, .number = 1}},
                       .searcher_snapshots = {{.experiment = {1}, .number = 1}},
                       .requests = {{.request_id = "old", .created_ms = 1},
                                    {.request_id = "new", .created_ms = most}}})
                    .text());
  const core::Recovered loaded = *store->load();
  EXPECT_EQ(std::vector{experiment_row(1)}, loaded.experiments);
  EXPECT_EQ(std::vector{resumed}, loaded.trials);
  EXPECT_EQ((std::vector{prepares, runs}), loaded.allocations);
  EXPECT_EQ((std::vector{latest, needed, pending}), loaded.checkpoints);
  ASSERT_EQ(1u, loaded.agents.size());
  EXPECT_EQ("here", loaded.agents[0].id.value);
  ASSERT_EQ(1u, loaded.searcher_events.size());
  EXPECT_EQ(2, loaded.searcher_events[0].number);
  ASSERT_EQ(1u, loaded.requests.size());
  EXPECT_EQ("new", loaded.requests[0].request_id);
}

TEST_F(Rows, OfANewDatabaseHoldAnIdentity) {
  const core::Recovered loaded = *store->load();
  EXPECT_EQ(36u, loaded.cluster.cluster_id.size());
  EXPECT_EQ(1, loaded.cluster.cluster_epoch);
}

}  // namespace
}  // namespace dt::master
