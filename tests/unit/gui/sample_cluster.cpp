#include "tests/unit/gui/sample_cluster.h"

#include <array>
#include <chrono>
#include <cmath>

#include "base/cat.h"
#include "base/rng.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;
using Rows = FakeMaster::Rows;

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t live_experiment = 24;
constexpr std::int64_t first_trial = 101;
constexpr int trials = 16;
constexpr int steps = 400;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void add_experiments(Rows& rows) {
  static constexpr std::array names{"fashion-cnn",  "fashion-asha",  "cifar-resnet18",
                                    "lm-small",     "lm-small-lr",   "tabular-mlp",
                                    "segment-unet", "fashion-random"};
  static constexpr std::array searchers{"async_halving", "random", "grid", "single"};
  static constexpr std::array states{"COMPLETED", "COMPLETED", "ERROR", "COMPLETED", "CANCELED"};
  static constexpr std::array owners{"ann", "ben", "cho"};
  Rng rng(1);
  for (std::int64_t id = 1; id < live_experiment; ++id) {
    const auto at = static_cast<std::size_t>(id);
    v1::Experiment& row =
        rows.add_experiment(id, names[at % names.size()], states[at % states.size()]);
    row.set_owner(owners[at % owners.size()]);
    row.set_searcher(searchers[at % searchers.size()]);
    row.set_trials(static_cast<int>(rng.between(1, 64)));
    row.set_progress(row.state() == "COMPLETED" ? 1 : rng.unit());
    row.set_created_ms(now_ms() - (live_experiment - id) * 187 * minute_ms);
    row.set_ended_ms(row.created_ms() + rng.between(3, 170) * minute_ms);
    if (row.state() != "ERROR") row.set_best_metric(0.2 + rng.unit() * 0.4);
    if (row.state() == "ERROR") row.set_message("trial 57: rank 1 exited with 137 (out of memory)");
    if (id % 4 == 0) row.add_labels("baseline");
    if (id % 6 == 0) row.add_labels("paper");
  }
  rows.experiments[21].set_state("PAUSED");
  rows.experiments[21].set_ended_ms(0);
  rows.experiments[22].set_state("ACTIVE");
  rows.experiments[22].set_progress(0);
  rows.experiments[22].clear_best_metric();
  rows.experiments[22].set_ended_ms(0);
  rows.experiments[23].set_state("STOPPING_CANCELED");
  rows.experiments[23].set_ended_ms(0);
}

void add_curves(Rows& rows, std::int64_t trial, double reach, int length) {
  Rng rng(static_cast<std::uint64_t>(trial));
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<double> loss, accuracy;
    for (int step = 1; step <= length; ++step) {
      const double way = 1 - std::exp(-step / 90.0);
      const double noise = (rng.unit() - 0.5) * 0.08;
      loss.push_back(2.3 - (2.3 - reach) * way + noise);
      accuracy.push_back(0.1 + (0.95 - reach) * way + noise / 4);
    }
    rows.add_series(trial * 10 + rank, trial, rank, "training", "loss", loss);
    rows.add_series(trial * 10 + 2 + rank, trial, rank, "training", "accuracy", accuracy);
  }
  std::vector<double> validation;
  for (int at = 1; at * 50 <= length; ++at) {
    validation.push_back(2.3 - (2.3 - reach) * (1 - std::exp(-at * 50 / 90.0)) + 0.02);
  }
  rows.add_series(trial * 10 + 4, trial, 0, "validation", "validation_loss", validation);
  auto& points = rows.points[trial * 10 + 4];
  for (auto& point : points) point.step *= 50;
  if (!points.empty()) rows.series[trial * 10 + 4].set_last_step(points.back().step);
}

// Of the trial whose page is shown: two attempts, checkpoints, environment and provenance.
void add_details(Rows& rows, std::int64_t trial) {
  v1::GetTrialResponse& row = rows.trials[trial];
  row.mutable_trial()->set_attempts(2);
  row.mutable_trial()->set_restarts(1);
  for (int number = 1; number <= 2; ++number) {
    v1::Attempt& attempt = *row.add_attempts();
    attempt.set_attempt(number);
    attempt.set_allocation_id(cat("1.24.", trial, ".", number));
    attempt.set_state(number == 1 ? "ENDED" : "RUNNING");
    attempt.set_size(2);
    attempt.set_created_ms(now_ms() - (3 - number) * 20 * minute_ms);
    attempt.set_started_ms(attempt.created_ms() + 4'000);
    if (number == 1) attempt.set_ended_ms(attempt.started_ms() + 12 * minute_ms);
    if (number == 1) attempt.set_outcome("rank 1 was killed by signal 9");
    if (number == 2) attempt.set_resumed_from("8f1c2a60-step-100");
    v1::AttemptNode& node = *attempt.add_nodes();
    node.set_agent_name("gpu-box-1");
    node.add_slot_ids("0");
    node.add_slot_ids("1");
  }
  for (int step = 50; step <= 150; step += 50) {
    v1::Checkpoint& checkpoint = *row.add_checkpoints();
    checkpoint.set_id(cat("8f1c2a60-step-", step));
    checkpoint.set_step(step);
    checkpoint.set_state(step == 150 ? "PENDING" : "STORED");
    checkpoint.set_bytes(48'300'000 + step);
    checkpoint.set_created_ms(now_ms() - (200 - step) * minute_ms / 10);
  }
  const auto variable = [&](const char* name, const char* value, const char* reason) {
    v1::EnvironmentVariable& added = *rows.environments[trial].add_variables();
    added.set_name(name);
    added.set_value(value);
    added.set_reason(reason);
  };
  variable("CUDA_VISIBLE_DEVICES", "0,1", "the slots of this allocation");
  variable("DT_RANK", "0", "this rank");
  variable("DT_SIZE", "2", "resources.slots_per_trial");
  variable("MASTER_ADDR", "127.0.0.1", "rank 0's node");
  variable("OMP_NUM_THREADS", "4", "cores of the node shared by its ranks");
  const auto fact = [&](const char* group, const char* name, const char* value) {
    v1::Fact& added = *rows.provenances[trial].add_facts();
    added.set_group(group);
    added.set_name(name);
    added.set_value(value);
  };
  fact("source", "commit", "4f1d9c02b7");
  fact("source", "branch", trial % 2 != 0 ? "main" : "wider");
  fact("submit", "command", "dtctl experiment create asha.yaml .");
  fact("node gpu-box-1", "gpu", "NVIDIA A100 80GB");
}

void add_live_search(Rows& rows) {
  v1::Experiment& row = rows.add_experiment(live_experiment, "fashion-asha");
  row.add_labels("baseline");
  row.set_progress(0.43);
  row.set_best_metric(0.3612);
  row.set_best_trial_id(109);
  row.set_config_yaml(
      "name: fashion-asha\nentrypoint: build/fashion_mnist\nhyperparameters:\n"
      "  learning_rate: {type: log, base: 10, minval: -4, maxval: -1}\n"
      "  hidden: {type: categorical, vals: [64, 128, 256]}\nsearcher:\n  name: async_halving\n"
      "  metric: validation_loss\n  max_trials: 16\nresources: {slots_per_trial: 2}\n");
  row.set_config_json(
      "{\"entrypoint\":\"build/fashion_mnist\",\"name\":\"fashion-asha\",\"searcher\":{"
      "\"max_trials\":16,\"metric\":\"validation_loss\",\"name\":\"async_halving\"}}");
  row.set_slots_per_trial(2);
  Rng rng(7);
  for (int i = 0; i < trials; ++i) {
    const std::int64_t id = first_trial + i;
    const bool is_running = i >= 12 && i < 14;
    const char* state = is_running ? "RUNNING" : i >= 14 ? "PENDING" : "COMPLETED";
    v1::Trial& trial = rows.add_trial(id, live_experiment, state,
                                      cat("{\"learning_rate\":", 1e-4 * std::pow(1000, rng.unit()),
                                          ",\"hidden\":", 64 << rng.between(0, 2),
                                          ",\"optimizer\":\"", i % 2 ? "adam" : "sgd", "\"}"));
    const double reach = 0.36 + 0.5 * rng.unit();
    const int length = i >= 14 ? 0 : is_running ? 180 : i % 3 == 0 ? steps : 100;
    trial.set_stopped_by_searcher(i < 12 && i % 3 != 0);
    trial.set_latest_step(length);
    trial.set_progress(length / double(steps));
    if (length > 0) trial.set_best_metric(reach);
    if (length > 0) trial.set_latest_metric(reach + 0.01);
    if (i < 12) trial.set_ended_ms(trial.created_ms() + (i + 2) * minute_ms);
    if (i >= 14) trial.set_waiting_reason("waits for 2 slots of pool default; 0 are free");
    if (length > 0) add_curves(rows, id, reach, length);
  }
  v1::GetSearchResponse& search = rows.searches[live_experiment];
  search.set_searcher("async_halving");
  search.set_unit("batches");
  search.set_trials_wanted(trials);
  for (const auto& [units, reached] : {std::pair{100, 14}, {400, 4}}) {
    v1::SearchRung* rung = search.add_rungs();
    rung->set_units(units);
    rung->set_trials(reached);
    rung->set_continued(reached / 3);
    rung->set_stopped(reached / 2);
  }
  add_details(rows, 112);
  add_details(rows, 113);
  for (int line = 0; line < 200; ++line) {
    rows.add_log(113, cat("step ", line * 2, " loss ", 2.3 - line * 0.008), line % 2);
  }
  rows.add_log(113, "warning: the learning rate is large for this batch", 1, "stderr");
}

void add_agents(Rows& rows) {
  v1::AgentInfo& first = rows.add_agent("gpu-box-1", 8);
  v1::AgentInfo& second = rows.add_agent("gpu-box-2", 4);
  second.set_address("10.0.0.12");
  for (int i = 0; i < 4; ++i) {
    first.mutable_slots(i)->set_allocation_id(cat("1.", 40 + i / 2));
    first.mutable_slots(i)->set_trial_id(113 + i / 2);
    first.mutable_slots(i)->set_experiment_id(live_experiment);
  }
  first.mutable_slots(6)->set_fault("XID 79: the GPU has fallen off the bus");
  second.mutable_slots(2)->set_allocation_id("1.44");
  second.mutable_slots(2)->set_trial_id(98);
  second.mutable_slots(2)->set_experiment_id(23);
}

void add_jobs(Rows& rows) {
  const auto add = [&](std::int64_t id, const char* state, int position, int held, int wanted,
                       const char* reason) {
    v1::Job& job = rows.jobs.emplace_back();
    job.set_experiment_id(id);
    job.set_name(rows.experiments[id].name());
    job.set_owner(rows.experiments[id].owner());
    job.set_pool("default");
    job.set_priority(42);
    job.set_state(state);
    job.set_position(position);
    job.set_slots_held(held);
    job.set_slots_wanted(wanted);
    job.set_reason(reason);
    job.set_submitted_ms(rows.experiments[id].created_ms());
  };
  add(24, "running", 0, 4, 4, "");
  add(23, "running", 0, 1, 0, "");
  add(22, "queued", 1, 0, 2,
      "waits for 2 slots of pool default; 7 are free, 4 of them for experiment 24");
  add(21, "paused", 0, 0, 0, "");
}

}  // namespace

void add_sample_cluster(Rows& rows) {
  add_experiments(rows);
  add_live_search(rows);
  add_agents(rows);
  add_jobs(rows);
}

}  // namespace dt::gui
