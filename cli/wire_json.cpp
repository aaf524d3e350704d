#include "cli/wire_json.h"

#include "formats/json.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Value embedded(const std::string& json) { return parse_json(json).value_or(Value()); }
Value id_or_null(std::int64_t id) { return id == 0 ? Value() : Value(id); }
Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

}  // namespace

Value to_value(const v1::Experiment& experiment) {
  Value value;
  value.set("id", experiment.id()).set("name", experiment.name()).set("owner", experiment.owner());
  value.set("state", experiment.state()).set("searcher", experiment.searcher());
  value.set("metric", experiment.metric()).set("smaller_is_better", experiment.smaller_is_better());
  value.set("progress", experiment.progress()).set("priority", experiment.priority());
  value.set("slots_per_trial", experiment.slots_per_trial());
  value.set("forked_from", id_or_null(experiment.forked_from()));
  value.set("trials", experiment.trials()).set("trials_running", experiment.trials_running());
  value.set("trials_completed", experiment.trials_completed());
  value.set("trials_errored", experiment.trials_errored());
  value.set("best_trial_id", id_or_null(experiment.best_trial_id()));
  value.set("best_metric",
            experiment.has_best_metric() ? Value(experiment.best_metric()) : Value());
  value.set("created_ms", experiment.created_ms());
  value.set("ended_ms", id_or_null(experiment.ended_ms()));
  value.set("message", text_or_null(experiment.message()));
  value.set("context_hash", text_or_null(experiment.context_hash()));
  value.set("description", text_or_null(experiment.description()));
  Value::Array labels(experiment.labels().begin(), experiment.labels().end());
  value.set("labels", std::move(labels)).set("archived", experiment.archived());
  value.set("notes", text_or_null(experiment.notes())).set("weight", experiment.weight());
  value.set("max_slots", experiment.has_max_slots() ? Value(experiment.max_slots()) : Value());
  if (!experiment.config_json().empty()) value.set("config", embedded(experiment.config_json()));
  return value;
}

Value to_value(const v1::GetSearchResponse& search) {
  Value::Array rungs;
  for (const v1::SearchRung& rung : search.rungs()) {
    Value entry;
    entry.set("bracket", rung.bracket()).set("units", rung.units()).set("trials", rung.trials());
    entry.set("continued", rung.continued()).set("stopped", rung.stopped());
    entry.set("paused", rung.paused());
    entry.set("best_metric", rung.has_best_metric() ? Value(rung.best_metric()) : Value());
    rungs.push_back(std::move(entry));
  }
  Value value;
  value.set("searcher", search.searcher()).set("unit", text_or_null(search.unit()));
  value.set("trials_wanted", search.trials_wanted()).set("rungs", std::move(rungs));
  return value;
}

Value to_value(const v1::Trial& trial) {
  Value value;
  value.set("id", trial.id()).set("experiment_id", trial.experiment_id());
  value.set("number", trial.number()).set("state", trial.state());
  value.set("hparams", embedded(trial.hparams_json()));
  value.set("seed", static_cast<std::int64_t>(trial.seed()));
  value.set("attempts", trial.attempts()).set("restarts", trial.restarts());
  value.set("stopped_by_searcher", trial.stopped_by_searcher());
  value.set("latest_metric", trial.has_latest_metric() ? Value(trial.latest_metric()) : Value());
  value.set("latest_step", trial.latest_step());
  value.set("best_metric", trial.has_best_metric() ? Value(trial.best_metric()) : Value());
  value.set("best_step", trial.best_step()).set("progress", trial.progress());
  value.set("created_ms", trial.created_ms()).set("ended_ms", id_or_null(trial.ended_ms()));
  value.set("message", text_or_null(trial.message()));
  value.set("latest_checkpoint", text_or_null(trial.latest_checkpoint()));
  value.set("waiting_reason", text_or_null(trial.waiting_reason()));
  return value;
}

Value to_value(const v1::Attempt& attempt) {
  Value::Array nodes;
  for (const v1::AttemptNode& node : attempt.nodes()) {
    Value entry;
    entry.set("agent_id", node.agent_id()).set("agent_name", node.agent_name());
    entry.set("phase", node.phase()).set("address", text_or_null(node.address()));
    entry.set("slot_ids", Value::Array(node.slot_ids().begin(), node.slot_ids().end()));
    nodes.push_back(std::move(entry));
  }
  Value value;
  value.set("id", attempt.allocation_id()).set("attempt", attempt.attempt());
  value.set("state", attempt.state()).set("size", attempt.size());
  value.set("created_ms", attempt.created_ms());
  value.set("started_ms", id_or_null(attempt.started_ms()));
  value.set("ended_ms", id_or_null(attempt.ended_ms()));
  value.set("outcome", text_or_null(attempt.outcome()));
  value.set("resumed_from", text_or_null(attempt.resumed_from()));
  value.set("nodes", std::move(nodes));
  return value;
}

Value to_value(const v1::Checkpoint& checkpoint) {
  Value value;
  value.set("id", checkpoint.id()).set("trial_id", checkpoint.trial_id());
  value.set("allocation_id", checkpoint.allocation_id()).set("step", checkpoint.step());
  value.set("state", checkpoint.state()).set("bytes", checkpoint.bytes());
  value.set("created_ms", checkpoint.created_ms());
  return value;
}

}  // namespace dt::cli
