#include "tests/unit/gui/fake_master.h"

#include <gtest/gtest.h>

#include <QTest>

#include "base/cat.h"
#include "tests/unit/gui/fake_master_state.h"

namespace dt::gui {

namespace v1 = ::dovetail::v1;

namespace {

constexpr int longest_wait_ms = 30'000;
constexpr std::int64_t minute_ms = 60'000;
constexpr auto look_every = std::chrono::milliseconds(20);  // whether a caller left

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

bool soon(const std::function<bool()>& is_so) { return QTest::qWaitFor(is_so, longest_wait_ms); }

// --- rows with usual values ---

v1::Experiment& FakeMaster::Rows::add_experiment(std::int64_t id, const std::string& name,
                                                 const std::string& state) {
  v1::Experiment& row = experiments[id];
  row.set_id(id);
  row.set_name(name);
  row.set_owner("ann");
  row.set_state(state);
  row.set_searcher("async_halving");
  row.set_metric("validation_loss");
  row.set_smaller_is_better(true);
  row.set_progress(state == "COMPLETED" ? 1 : 0.4);
  row.set_created_ms(now_ms() - 30 * minute_ms);
  if (state == "COMPLETED" || state == "ERROR" || state == "CANCELED") {
    row.set_ended_ms(now_ms() - 5 * minute_ms);
  }
  row.set_slots_per_trial(1);
  row.set_config_yaml(cat("name: ", name, "\nentrypoint: python3 train.py\n"));
  row.set_config_json(cat("{\"name\": \"", id, "\"}"));
  return row;
}

v1::Trial& FakeMaster::Rows::add_trial(std::int64_t id, std::int64_t experiment,
                                       const std::string& state, const std::string& hparams_json) {
  v1::Trial& row = *trials[id].mutable_trial();
  row.set_id(id);
  row.set_experiment_id(experiment);
  int number = 0;
  for (const auto& [other, trial] : trials) {
    number += other != id && trial.trial().experiment_id() == experiment;
  }
  row.set_number(number);
  row.set_state(state);
  row.set_hparams_json(hparams_json);
  row.set_attempts(1);
  row.set_created_ms(now_ms() - 20 * minute_ms);
  v1::Experiment& owner = experiments[experiment];
  owner.set_trials(owner.trials() + 1);
  if (state == "RUNNING") owner.set_trials_running(owner.trials_running() + 1);
  if (state == "COMPLETED") owner.set_trials_completed(owner.trials_completed() + 1);
  if (state == "ERROR") owner.set_trials_errored(owner.trials_errored() + 1);
  return row;
}

v1::Series& FakeMaster::Rows::add_series(std::int64_t id, std::int64_t trial, int rank,
                                         const std::string& group, const std::string& name,
                                         const std::vector<double>& values) {
  v1::Series& row = series[id];
  row.set_id(id);
  row.set_trial_id(trial);
  row.set_rank(rank);
  row.set_metric_group(group);
  row.set_name(name);
  row.set_points(static_cast<std::int64_t>(values.size()));
  std::vector<Point>& list = points[id];
  list.clear();
  const std::int64_t start_ms = now_ms() - 20 * minute_ms;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i) + 1;
    list.push_back({step, values[i], start_ms + step * 100});
  }
  if (values.empty()) return row;
  row.set_last_value(values.back());
  row.set_last_step(static_cast<std::int64_t>(values.size()));
  row.set_min_value(*std::min_element(values.begin(), values.end()));
  row.set_max_value(*std::max_element(values.begin(), values.end()));
  return row;
}

v1::AgentInfo& FakeMaster::Rows::add_agent(const std::string& name, int count_of_slots) {
  v1::AgentInfo& row = agents.emplace_back();
  row.set_id(cat("agent-", name));
  row.set_name(name);
  row.set_address("127.0.0.1");
  row.set_pool("default");
  row.set_state("connected");
  row.set_version("0.1.0");
  row.set_joined_ms(now_ms() - 90 * minute_ms);
  for (int i = 0; i < count_of_slots; ++i) {
    v1::SlotInfo& slot = *row.add_slots();
    slot.set_id(std::to_string(i));
    slot.set_kind("cuda");
    slot.set_device("NVIDIA A100");
  }
  return row;
}

void FakeMaster::Rows::add_log(std::int64_t trial, const std::string& text, int rank,
                               const std::string& output) {
  v1::LogLine& line = logs[trial].emplace_back();
  line.set_time_ms(now_ms());
  line.set_attempt(1);
  line.set_rank(rank);
  line.set_output(output);
  line.set_text(text);
}

// --- the server ---

grpc::Status FakeMaster::State::serve(const grpc::ServerContext& context, const std::string& call,
                                      const std::function<grpc::Status()>& work) {
  std::unique_lock lock(mutex);
  ++counts[call];
  changed.notify_all();
  while (held.contains(call)) {
    if (!wait(lock, context)) return grpc::Status::CANCELLED;
  }
  const auto refusal = refused.find(call);
  return refusal != refused.end() ? refusal->second : work();
}

bool FakeMaster::State::wait(std::unique_lock<std::mutex>& lock,
                             const grpc::ServerContext& context) {
  changed.wait_for(lock, look_every);
  return !is_stopping && !context.IsCancelled();
}

FakeMaster::FakeMaster() : state_(std::make_unique<State>()) {
  services_.push_back(make_fake_experiments(*state_));
  services_.push_back(make_fake_trials(*state_));
  services_.push_back(make_fake_metrics(*state_));
  for (auto& service : make_fake_streams(*state_)) services_.push_back(std::move(service));
  for (auto& service : make_fake_cluster(*state_)) services_.push_back(std::move(service));
  start();
}

FakeMaster::~FakeMaster() { stop(); }

void FakeMaster::start() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(cat("127.0.0.1:", port_), grpc::InsecureServerCredentials(), &port_);
  for (const auto& service : services_) builder.RegisterService(service.get());
  server_ = builder.BuildAndStart();
  ASSERT_NE(server_, nullptr);
}

void FakeMaster::stop() {
  if (!server_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
    state_->changed.notify_all();
  }
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

client::Credentials FakeMaster::credentials() const {
  return {.address = cat("127.0.0.1:", port_),
          .http_address = {},
          .user = "ann",
          .token = "secret",
          .tls_ca = {}};
}

// --- what a test says and asks ---

void FakeMaster::edit(const std::function<void(Rows&)>& change) {
  const std::lock_guard lock(state_->mutex);
  change(state_->rows);
  state_->changed.notify_all();
}

void FakeMaster::tell(const std::string& kind, const std::string& id, std::int64_t experiment,
                      std::int64_t trial, std::int64_t points) {
  v1::WatchEvent event;
  v1::Change& change = *event.mutable_change();
  change.set_kind(kind);
  change.set_id(id);
  change.set_experiment_id(experiment);
  change.set_trial_id(trial);
  change.set_points(points);
  const std::lock_guard lock(state_->mutex);
  event.set_sequence(static_cast<std::int64_t>(state_->events.size()) + 1);
  state_->events.push_back(event);
  state_->changed.notify_all();
}

void FakeMaster::tell_reset() {
  v1::WatchEvent event;
  event.set_reset(true);
  const std::lock_guard lock(state_->mutex);
  state_->events.push_back(event);
  state_->changed.notify_all();
}

void FakeMaster::hold(const std::string& call) {
  const std::lock_guard lock(state_->mutex);
  state_->held.insert(call);
}

void FakeMaster::release() {
  const std::lock_guard lock(state_->mutex);
  state_->held.clear();
  state_->changed.notify_all();
}

void FakeMaster::refuse(const std::string& call, grpc::StatusCode code,
                        const std::string& message) {
  const std::lock_guard lock(state_->mutex);
  state_->refused[call] = {code, message};
}

void FakeMaster::allow(const std::string& call) {
  const std::lock_guard lock(state_->mutex);
  state_->refused.erase(call);
}

int FakeMaster::calls(const std::string& call) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->counts.find(call);
  return found == state_->counts.end() ? 0 : found->second;
}

int FakeMaster::all_calls() const {
  const std::lock_guard lock(state_->mutex);
  int sum = 0;
  for (const auto& [call, count] : state_->counts) sum += call == "Watch" ? 0 : count;
  return sum;
}

std::vector<v1::ChangeExperimentsRequest> FakeMaster::changes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->changes;
}

std::vector<v1::ContinueExperimentRequest> FakeMaster::continuations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->continuations;
}

std::vector<v1::CreateExperimentRequest> FakeMaster::creations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->creations;
}

std::vector<v1::GetSeriesRequest> FakeMaster::series_requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->series_requests;
}

}  // namespace dt::gui
