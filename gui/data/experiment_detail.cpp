#include "gui/data/experiment_detail.h"

#include <algorithm>
#include <utility>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/job.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"

namespace dt::gui {
namespace {

using namespace std::chrono_literals;

constexpr auto experiment_every = 250ms;
constexpr auto trials_every = 500ms;
constexpr auto search_every = 1'000ms;
constexpr std::int64_t trials_a_ms = 5;  // many trials are listed again less often
constexpr int page_size = 20'000;        // the most a master answers at once

}  // namespace

ExperimentDetail::ExperimentDetail(Master& master, Live& live, std::int64_t id, QObject* parent)
    : QObject(parent),
      master_(master),
      id_(id),
      refresh_experiment_(experiment_every, [this] { ask_experiment(); }),
      refresh_trials_(trials_every, [this] { ask_trials(); }),
      refresh_search_(search_every, [this] { ask_search(); }),
      refresh_job_(search_every, [this] { ask_job(); }) {
  connect(&live, &Live::changed, this, &ExperimentDetail::take_changes);
  connect(&live, &Live::reset, this, &ExperimentDetail::reload);
  if (live.state() != Live::State::connecting) reload();  // else a reset is on its way
}

void ExperimentDetail::reload() {
  wants_all_trials_ = true;
  refresh_experiment_.want();
  refresh_trials_.want();
  refresh_search_.want();
  refresh_job_.want();
}

void ExperimentDetail::take_changes(const Changes& changes) {
  bool is_experiment = false;
  bool is_trial = false;
  for (const v1::Change& change : changes) {
    if (change.experiment_id() != id_) continue;
    is_experiment |= change.kind() == "experiment";
    if (change.kind() != "trial") continue;
    is_trial = true;
    changed_trials_.insert(std::atoll(change.id().c_str()));
  }
  if (is_experiment || is_trial) refresh_experiment_.want();  // its counts and its best
  if (!is_trial) return;
  refresh_trials_.want();
  refresh_search_.want();
  refresh_job_.want();
}

// --- the experiment

void ExperimentDetail::ask_experiment() {
  v1::GetExperimentRequest request;
  request.set_id(id_);
  asking_experiment_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::GetExperiment, request,
      [this](Result<v1::GetExperimentResponse> got) { take_experiment(std::move(got)); });
}

void ExperimentDetail::take_experiment(Result<v1::GetExperimentResponse> got) {
  problem_ = got.ok() ? Status() : got.status();
  if (problem_.code() == Code::not_found) row_.reset();  // deleted
  if (got.ok()) {
    const int ranks_before = ranks();
    row_ = row_of(got->experiment());
    config_json_ = got->experiment().config_json();
    config_yaml_ = got->experiment().config_yaml();
    const auto most_before = std::exchange(most_batches_, most_batches(config_json_));
    if (ranks() != ranks_before || most_batches_ != most_before) complete_all();
  }
  refresh_experiment_.done();
  Q_EMIT experiment_changed();
}

void ExperimentDetail::complete(TrialRow& row) const {
  row.ranks = ranks();
  if (most_batches_ && row.step >= *most_batches_) row.is_stopped_early = false;
}

void ExperimentDetail::complete_all() {
  std::vector<TrialRow> changed;
  for (auto& [id, trial] : trials_) {
    complete(trial);
    changed.push_back(trial);
  }
  if (!changed.empty()) Q_EMIT trials_changed(changed);
}

// --- trials

void ExperimentDetail::ask_trials() {
  const auto changed = std::exchange(changed_trials_, {});
  const bool all = std::exchange(wants_all_trials_, false);
  if (!all && changed.size() == 1) return ask_one(*changed.begin());
  ask_page({});
}

void ExperimentDetail::ask_page(const std::string& token) {
  v1::ListTrialsRequest request;
  request.set_experiment_id(id_);
  request.mutable_page()->set_size(page_size);
  request.mutable_page()->set_token(token);
  const auto work = [request](const client::Client& client, std::stop_token stop) -> Result<Page> {
    const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request,
                                                 {.retry_unavailable = false, .stop = stop}));
    Page page{.rows = {}, .next = got.next_page_token()};
    for (const v1::Trial& trial : got.trials()) page.rows.push_back(row_of(trial));
    return page;
  };
  asking_trials_ = master_.run<Page>(work, [this](Result<Page> got) { take_page(std::move(got)); });
}

void ExperimentDetail::take_page(Result<Page> got) {
  trials_problem_ = got.ok() ? Status() : got.status();
  if (!got.ok()) {
    wants_all_trials_ = true;  // with the next reset
    refresh_trials_.done();
    Q_EMIT trials_changed({});
    return;
  }
  has_trials_ |= got->next.empty();
  keep(std::move(got->rows));
  if (!got->next.empty()) return ask_page(got->next);
  refresh_trials_.done();
}

void ExperimentDetail::ask_one(std::int64_t trial_id) {
  v1::GetTrialRequest request;
  request.set_id(trial_id);
  asking_trials_ = master_.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request,
                                            [this](Result<v1::GetTrialResponse> got) {
                                              if (got.ok()) keep({row_of(got->trial())});
                                              refresh_trials_.done();
                                            });
}

void ExperimentDetail::keep(std::vector<TrialRow> rows) {
  std::vector<TrialRow> changed;
  for (TrialRow& row : rows) {
    complete(row);
    TrialRow& known = trials_[row.id];
    if (known == row) continue;
    known = row;
    changed.push_back(std::move(row));
  }
  const std::chrono::milliseconds every(static_cast<std::int64_t>(trials_.size()) / trials_a_ms);
  refresh_trials_.set_every(std::max<std::chrono::milliseconds>(trials_every, every));
  Q_EMIT trials_changed(changed);
}

// --- search and queue

void ExperimentDetail::ask_search() {
  v1::GetSearchRequest request;
  request.set_experiment_id(id_);
  asking_search_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::GetSearch, request, [this](Result<v1::GetSearchResponse> got) {
        search_problem_ = got.ok() ? Status() : got.status();
        if (got.ok()) search_ = std::move(got).value();
        refresh_search_.done();
        Q_EMIT search_changed();
      });
}

void ExperimentDetail::ask_job() {
  asking_job_ = master_.call<v1::Jobs>(&v1::Jobs::Stub::ListJobs, v1::ListJobsRequest(),
                                       [this](Result<v1::ListJobsResponse> got) {
                                         if (got.ok()) job_.reset();
                                         for (int i = 0; got.ok() && i < got->jobs_size(); ++i) {
                                           if (got->jobs(i).experiment_id() == id_)
                                             job_ = row_of(got->jobs(i));
                                         }
                                         refresh_job_.done();
                                         Q_EMIT job_changed();
                                       });
}

}  // namespace dt::gui
