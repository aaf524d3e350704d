#include "master/deletion.h"

#include <spdlog/spdlog.h>

namespace dt::master {
namespace {

constexpr auto try_again_after = std::chrono::seconds(5);

bool is_passing(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::unknown;
}

// What goes, and what each trial that loses its latest checkpoint has left.
void choose(const std::vector<StoredCheckpoint>& stored, const core::ExperimentConfig& config,
            core::CheckpointsTidied& event) {
  std::vector<core::CheckpointFact> facts;
  for (const StoredCheckpoint& one : stored) facts.push_back(one.fact);
  const std::set<CheckpointId> kept =
      core::kept_checkpoints(facts, config.checkpoint_storage, config.searcher.smaller_is_better);
  std::map<TrialId, CheckpointId> newest_left;
  for (const StoredCheckpoint& one : stored) {
    if (kept.contains(one.fact.id) || one.is_inherited) {
      newest_left[one.fact.trial] = one.fact.id;
    } else {
      event.deleted.push_back(one.fact.id);
      if (one.is_latest) event.latest[one.fact.trial] = {};
    }
  }
  for (auto& [trial, latest] : event.latest) {
    const auto left = newest_left.find(trial);
    if (left != newest_left.end()) latest = left->second;
  }
}

}  // namespace

Deletion::Deletion(Loop& loop, Store& store, const Blobs& checkpoints)
    : loop_(loop),
      store_(store),
      checkpoints_(checkpoints),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Deletion::wake() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  woken_.notify_all();
}

void Deletion::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!woken_.wait(lock, stop, [&] { return wanted_; })) return;
      wanted_ = false;
    }
    const bool all_deleted = delete_all(stop);
    if ((tidy_all(stop) && all_deleted) || stop.stop_requested()) continue;
    std::unique_lock lock(mutex_);  // the database is away: look again, or when somebody wakes us
    woken_.wait_for(lock, stop, try_again_after, [&] { return wanted_; });
    wanted_ = true;
  }
}

// False: something is left to do, and it may work later.
bool Deletion::delete_all(const std::stop_token& stop) {
  const Result<std::vector<ExperimentId>> all = store_.deleting();
  if (!all.ok()) return false;
  for (const ExperimentId id : *all) {
    const Status status = delete_one(id, stop);
    if (stop.stop_requested() || is_passing(status)) return false;
    if (!status.ok())
      spdlog::error("experiment {} could not be deleted: {}", id.value, status.text());
    const Result<Value> told = loop_.ask([&](core::ReplyToken token) {
      return core::DeletionEnded{
          .request = {.token = token}, .experiment = id, .failure = status.text()};
    });
    if (!told.ok() && is_passing(told.status())) return false;
  }
  return true;
}

Status Deletion::delete_one(ExperimentId experiment, const std::stop_token& stop) {
  const auto files = TRY(store_.files_of(experiment, Store::Which::all));
  TRY(remove_files(files, experiment));
  bool more = true;
  while (more && !stop.stop_requested()) more = TRY(store_.erase_rows(experiment));
  return {};
}

Status Deletion::remove_files(const std::set<std::string>& files, ExperimentId but) {
  for (const std::string& sha256 : files) TRY(checkpoints_.condemn(sha256));
  const Result<std::set<std::string>> kept = store_.files_in_use(but);
  for (const std::string& sha256 : files) {
    const bool keep = !kept.ok() || kept->contains(sha256);
    TRY(keep ? checkpoints_.put_back(sha256) : checkpoints_.remove_condemned(sha256));
  }
  return kept.status();
}

// False: something is left to do, and it may work later.
bool Deletion::tidy_all(const std::stop_token& stop) {
  const Result<std::vector<ExperimentId>> all = store_.untidy();
  if (!all.ok()) return false;
  for (const ExperimentId id : *all) {
    if (stop.stop_requested()) return false;
    const Status status = tidy_one(id);
    if (is_passing(status)) return false;
    if (!status.ok() && status.code() != Code::failed_precondition) {  // it was continued meanwhile
      spdlog::error("checkpoints of experiment {} could not be tidied: {}", id.value,
                    status.text());
    }
  }
  return true;
}

Status Deletion::tidy_one(ExperimentId experiment) {
  const core::ExperimentRow row = TRY(store_.experiment(experiment));
  const core::ParsedConfig parsed = TRY(core::parse_config(row.config, {}));
  core::CheckpointsTidied event{.experiment = experiment};
  const auto tell = [&]() -> Status {
    return loop_
        .ask([&](core::ReplyToken token) {
          event.request.token = token;
          return event;
        })
        .status();
  };
  const core::CheckpointStorageConfig& storage = parsed.config.checkpoint_storage;
  if (storage.kind == core::CheckpointStorageConfig::Kind::master) {
    choose(TRY(store_.stored_checkpoints(experiment)), parsed.config, event);
    if (!event.deleted.empty()) TRY(tell());
    const auto files = TRY(store_.files_of(experiment, Store::Which::deleted));
    if (!files.empty()) TRY(remove_files(files, {}));
  }
  event.deleted.clear();
  event.latest.clear();
  event.done = true;
  return tell();
}

}  // namespace dt::master
