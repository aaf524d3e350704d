#include "gui/data/compared_runs.h"

#include <map>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "formats/json.h"

namespace dt::gui {
namespace {

constexpr int ask_every_ms = 3'000;  // an experiment's best trial may change often

// Asks for what the runs need, each experiment once.
class Asker {
 public:
  Asker(const client::Client& client, std::stop_token stop)
      : client_(client), stop_(std::move(stop)) {}

  // Only a master that cannot be reached is an error here; what is gone is a run with a problem.
  Result<ComparedRun> run_of(const Link& link) {
    ComparedRun run;
    run.link = link;
    run.trial = link.kind == Link::Kind::trial ? link.id : 0;
    run.problem = fill(run);
    if (run.problem.code() == Code::unavailable) return run.problem;
    return run;
  }

 private:
  Status fill(ComparedRun& run) {
    if (run.link.kind == Link::Kind::experiment) {
      TRY(take_experiment(run, run.link.id));
      run.trial = experiments_[run.link.id].best_trial_id();
      if (run.trial == 0) return {};
    }
    v1::GetTrialRequest request;
    request.set_id(run.trial);
    const auto got = TRY(client_.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request, options()));
    run.state = QString::fromStdString(got.trial().state());
    run.created_ms =
        got.attempts().empty() ? got.trial().created_ms() : got.attempts(0).started_ms();
    if (const auto hparams = parse_json(got.trial().hparams_json()); hparams.ok()) {
      for (auto& [key, value] : flattened(*hparams)) {
        run.config.emplace_back(QStringLiteral("hparams.") + key, value);
      }
    }
    TRY(take_experiment(run, got.trial().experiment_id()));
    return take_provenance(run);
  }

  Status take_experiment(ComparedRun& run, std::int64_t id) {
    if (!experiments_.contains(id)) {
      v1::GetExperimentRequest request;
      request.set_id(id);
      experiments_[id] = TRY(client_.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment,
                                                           request, options()))
                             .experiment();
    }
    const v1::Experiment& experiment = experiments_[id];
    run.experiment = id;
    run.experiment_name = QString::fromStdString(experiment.name());
    run.metric = QString::fromStdString(experiment.metric());
    run.smaller_is_better = experiment.smaller_is_better();
    if (run.link.kind == Link::Kind::experiment && run.trial == 0) return {};
    if (const auto config = parse_json(experiment.config_json()); config.ok()) {
      for (auto& entry : flattened(*config)) run.config.push_back(std::move(entry));
    }
    return {};
  }

  Status take_provenance(ComparedRun& run) {
    v1::GetTrialProvenanceRequest request;
    request.set_id(run.trial);
    const auto got =
        client_.call<v1::Trials>(&v1::Trials::Stub::GetTrialProvenance, request, options());
    run.provenance_problem = got.status();
    if (!got.ok()) return got.status().code() == Code::unavailable ? got.status() : Status();
    for (const v1::Fact& fact : got->facts()) {
      run.provenance.emplace_back(QString::fromStdString(fact.group() + ": " + fact.name()),
                                  QString::fromStdString(fact.value()));
    }
    return {};
  }

  client::CallOptions options() const { return {.retry_unavailable = false, .stop = stop_}; }

  const client::Client& client_;
  std::stop_token stop_;
  std::map<std::int64_t, v1::Experiment> experiments_;
};

}  // namespace

QString name_of(const ComparedRun& run) {
  if (run.link.kind != Link::Kind::experiment) return QStringLiteral("trial %1").arg(run.link.id);
  if (run.trial == 0) return QStringLiteral("experiment %1").arg(run.link.id);
  return QStringLiteral("experiment %1: trial %2").arg(run.link.id).arg(run.trial);
}

ComparedRuns::ComparedRuns(Master& master, Live& live, std::vector<Link> links, QObject* parent)
    : QObject(parent), master_(master), links_(std::move(links)) {
  ask_later_.setSingleShot(true);
  connect(&ask_later_, &QTimer::timeout, this, &ComparedRuns::reload);
  connect(&live, &Live::changed, this, &ComparedRuns::take_changes);
  connect(&live, &Live::reset, this, &ComparedRuns::reload);
  reload();
}

void ComparedRuns::take_changes(const Changes& changes) {
  for (const v1::Change& change : changes) {
    for (const ComparedRun& run : runs_) {
      const bool is_mine =
          (change.kind() == "trial" && change.id() == std::to_string(run.trial)) ||
          (change.kind() == "experiment" && run.link.kind == Link::Kind::experiment &&
           change.id() == std::to_string(run.link.id));
      if (is_mine && !ask_later_.isActive()) ask_later_.start(ask_every_ms);
    }
  }
}

void ComparedRuns::reload() {
  using Runs = std::vector<ComparedRun>;
  asking_ = master_.run<Runs>(
      [links = links_](const client::Client& client, const std::stop_token& stop) -> Result<Runs> {
        Asker asker(client, stop);
        Runs runs;
        for (const Link& link : links) runs.push_back(TRY(asker.run_of(link)));
        return runs;
      },
      [this](Result<Runs> got) {
        problem_ = got.status();
        if (got.ok()) {
          runs_ = std::move(*got);
          is_loaded_ = true;
        }
        Q_EMIT changed();
      });
}

}  // namespace dt::gui
