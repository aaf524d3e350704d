#include "gui/data/rows.h"

namespace dt::gui {
namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace

ExperimentRow row_of(const ::dovetail::v1::Experiment& experiment) {
  ExperimentRow row;
  row.id = experiment.id();
  row.name = text(experiment.name());
  row.owner = text(experiment.owner());
  row.state = text(experiment.state());
  row.searcher = text(experiment.searcher());
  row.metric = text(experiment.metric());
  row.smaller_is_better = experiment.smaller_is_better();
  row.progress = experiment.progress();
  row.trials = experiment.trials();
  row.trials_running = experiment.trials_running();
  row.trials_completed = experiment.trials_completed();
  row.trials_errored = experiment.trials_errored();
  row.best_trial = experiment.best_trial_id();
  if (experiment.has_best_metric()) row.best = experiment.best_metric();
  row.created_ms = experiment.created_ms();
  row.ended_ms = experiment.ended_ms();
  row.message = text(experiment.message());
  row.priority = experiment.priority();
  for (const std::string& label : experiment.labels()) row.labels.push_back(text(label));
  row.description = text(experiment.description());
  row.forked_from = experiment.forked_from();
  row.slots_per_trial = experiment.slots_per_trial();
  row.is_archived = experiment.archived();
  row.weight = experiment.weight();
  if (experiment.has_max_slots()) row.max_slots = experiment.max_slots();
  return row;
}

AgentRow row_of(const ::dovetail::v1::AgentInfo& agent) {
  AgentRow row{.id = text(agent.id()),
               .name = text(agent.name()),
               .address = text(agent.address()),
               .pool = text(agent.pool()),
               .state = text(agent.state()),
               .admission = text(agent.admission()),
               .version = text(agent.version()),
               .joined_ms = agent.joined_ms(),
               .slots = {}};
  for (const ::dovetail::v1::SlotInfo& slot : agent.slots()) {
    row.slots.push_back({.id = text(slot.id()),
                         .kind = text(slot.kind()),
                         .device = text(slot.device()),
                         .allocation = text(slot.allocation_id()),
                         .trial = slot.trial_id(),
                         .experiment = slot.experiment_id(),
                         .fault = text(slot.fault()),
                         .is_disabled = slot.disabled()});
  }
  return row;
}

JobRow row_of(const ::dovetail::v1::Job& job) {
  return {.experiment = job.experiment_id(),
          .name = text(job.name()),
          .owner = text(job.owner()),
          .pool = text(job.pool()),
          .priority = job.priority(),
          .state = text(job.state()),
          .position = job.position(),
          .slots_held = job.slots_held(),
          .slots_wanted = job.slots_wanted(),
          .trials_running = job.trials_running(),
          .trials_waiting = job.trials_waiting(),
          .reason = text(job.reason()),
          .submitted_ms = job.submitted_ms()};
}

bool is_deleting(const QString& state) {
  return state == QLatin1String("DELETING") || state == QLatin1String("DELETE_FAILED");
}

bool is_over(const QString& state) {
  return state == QLatin1String("COMPLETED") || state == QLatin1String("CANCELED") ||
         state == QLatin1String("ERROR");
}

}  // namespace dt::gui
