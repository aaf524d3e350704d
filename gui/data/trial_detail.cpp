#include "gui/data/trial_detail.h"

#include <QStringList>
#include <limits>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "gui/data/trial_rows.h"

namespace dt::gui {
namespace {

constexpr int ask_every_ms = 500;

TrialState state_from(const v1::Trial& trial) {
  TrialState state{.id = trial.id(),
                   .experiment = trial.experiment_id(),
                   .number = trial.number(),
                   .state = QString::fromStdString(trial.state()),
                   .hparams_json = QString::fromStdString(trial.hparams_json()),
                   .seed = trial.seed(),
                   .attempts = trial.attempts(),
                   .restarts = trial.restarts(),
                   .is_stopped_early = trial.stopped_by_searcher(),
                   .latest = {},
                   .latest_step = trial.latest_step(),
                   .best = {},
                   .best_step = trial.best_step(),
                   .progress = trial.progress(),
                   .created_ms = trial.created_ms(),
                   .ended_ms = trial.ended_ms(),
                   .message = QString::fromStdString(trial.message()),
                   .waiting_reason = QString::fromStdString(trial.waiting_reason())};
  if (trial.has_latest_metric()) state.latest = trial.latest_metric();
  if (trial.has_best_metric()) state.best = trial.best_metric();
  return state;
}

QString nodes_of(const v1::Attempt& attempt) {
  QStringList nodes;
  for (const v1::AttemptNode& node : attempt.nodes()) {
    QStringList slots_held;
    for (const std::string& slot : node.slot_ids()) slots_held << QString::fromStdString(slot);
    nodes << QStringLiteral("%1 (%2)").arg(QString::fromStdString(node.agent_name()),
                                           slots_held.join(QStringLiteral(", ")));
  }
  return nodes.join(QStringLiteral(", "));
}

AttemptRow attempt_from(const v1::Attempt& attempt) {
  return {.attempt = attempt.attempt(),
          .allocation = QString::fromStdString(attempt.allocation_id()),
          .state = QString::fromStdString(attempt.state()),
          .ranks = attempt.size(),
          .created_ms = attempt.created_ms(),
          .started_ms = attempt.started_ms(),
          .ended_ms = attempt.ended_ms(),
          .outcome = QString::fromStdString(attempt.outcome()),
          .resumed_from = QString::fromStdString(attempt.resumed_from()),
          .nodes = nodes_of(attempt)};
}

CheckpointRow checkpoint_from(const v1::Checkpoint& checkpoint) {
  return {.id = QString::fromStdString(checkpoint.id()),
          .step = checkpoint.step(),
          .state = QString::fromStdString(checkpoint.state()),
          .bytes = checkpoint.bytes(),
          .created_ms = checkpoint.created_ms(),
          .allocation = QString::fromStdString(checkpoint.allocation_id())};
}

}  // namespace

bool is_trial_over(const QString& state) {
  return state == QLatin1String("COMPLETED") || state == QLatin1String("CANCELED") ||
         state == QLatin1String("ERROR");
}

TrialDetail::TrialDetail(Master& master, Live& live, std::int64_t trial, QObject* parent)
    : QObject(parent), master_(master), trial_(trial) {
  ask_later_.setSingleShot(true);
  connect(&ask_later_, &QTimer::timeout, this, &TrialDetail::reload);
  connect(&live, &Live::changed, this, &TrialDetail::take_changes);
  connect(&live, &Live::reset, this, &TrialDetail::reload);
  reload();
}

void TrialDetail::take_changes(const Changes& changes) {
  for (const v1::Change& change : changes) {
    const bool is_mine = change.kind() == "trial" && change.id() == std::to_string(trial_);
    const bool may_be_mine = change.experiment_id() == state_.experiment &&
                             (change.kind() == "allocation" || change.kind() == "checkpoint");
    if ((is_mine || may_be_mine) && !ask_later_.isActive()) ask_later_.start(ask_every_ms);
  }
}

void TrialDetail::reload() {
  v1::GetTrialRequest request;
  request.set_id(trial_);
  asking_ =
      master_.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request,
                               [this](Result<v1::GetTrialResponse> got) { take(std::move(got)); });
}

void TrialDetail::take(Result<v1::GetTrialResponse> got) {
  problem_ = got.status();
  if (!got.ok()) {
    Q_EMIT changed();
    return;
  }
  const std::size_t attempts_before = attempts_.size();
  const bool was_loaded = is_loaded_;
  state_ = state_from(got->trial());
  attempts_.clear();
  checkpoints_.clear();
  for (const v1::Attempt& attempt : got->attempts()) attempts_.push_back(attempt_from(attempt));
  for (const v1::Checkpoint& checkpoint : got->checkpoints()) {
    checkpoints_.push_back(checkpoint_from(checkpoint));
  }
  is_loaded_ = true;
  judge_stop();
  Q_EMIT changed();
  if (was_loaded && attempts_.size() != attempts_before) Q_EMIT attempts_changed();
}

// Only the configuration tells whether a trial that the search stopped had trained to the end.
void TrialDetail::judge_stop() {
  if (!state_.is_stopped_early) return;
  if (!most_batches_) return ask_most_batches();
  state_.is_stopped_early = state_.latest_step < *most_batches_;
}

void TrialDetail::ask_most_batches() {
  v1::GetExperimentRequest request;
  request.set_id(state_.experiment);
  asking_experiment_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::GetExperiment, request,
      [this](Result<v1::GetExperimentResponse> got) {
        if (!got.ok()) return;
        most_batches_ = most_batches(got->experiment().config_json())
                            .value_or(std::numeric_limits<std::int64_t>::max());
        judge_stop();
        Q_EMIT changed();
      });
}

void TrialDetail::ask_environment(int attempt, int rank) {
  v1::GetTrialEnvironmentRequest request;
  request.set_id(trial_);
  request.set_attempt(attempt);
  request.set_rank(rank);
  environment_ =
      master_.call<v1::Trials>(&v1::Trials::Stub::GetTrialEnvironment, request,
                               [this](Result<v1::GetTrialEnvironmentResponse> got) {
                                 if (!got.ok()) {
                                   Q_EMIT environment_came(got.status());
                                   return;
                                 }
                                 std::vector<VariableRow> rows;
                                 for (const v1::EnvironmentVariable& variable : got->variables()) {
                                   rows.push_back({QString::fromStdString(variable.name()),
                                                   QString::fromStdString(variable.value()),
                                                   QString::fromStdString(variable.reason())});
                                 }
                                 Q_EMIT environment_came(std::move(rows));
                               });
}

void TrialDetail::ask_provenance() {
  v1::GetTrialProvenanceRequest request;
  request.set_id(trial_);
  provenance_ = master_.call<v1::Trials>(
      &v1::Trials::Stub::GetTrialProvenance, request,
      [this](Result<v1::GetTrialProvenanceResponse> got) {
        if (!got.ok()) {
          Q_EMIT provenance_came(got.status());
          return;
        }
        std::vector<FactRow> rows;
        for (const v1::Fact& fact : got->facts()) {
          rows.push_back({QString::fromStdString(fact.group()), QString::fromStdString(fact.name()),
                          QString::fromStdString(fact.value())});
        }
        Q_EMIT provenance_came(std::move(rows));
      });
}

}  // namespace dt::gui
