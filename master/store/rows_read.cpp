#include "master/store/rows_read.h"

#include "master/store/row_values.h"

namespace dt::master {

std::int64_t integer_in(const pqxx::row& row, const char* column) {
  return row[column].as<std::int64_t>();
}
int int_in(const pqxx::row& row, const char* column) { return row[column].as<int>(); }
bool bool_in(const pqxx::row& row, const char* column) { return row[column].as<bool>(); }
std::string text_in(const pqxx::row& row, const char* column) {
  return row[column].as<std::string>();
}
double double_in(const pqxx::row& row, const char* column) {
  return double_of(row[column].c_str());
}

std::optional<double> optional_double_in(const pqxx::row& row, const char* column) {
  if (row[column].is_null()) return std::nullopt;
  return double_in(row, column);
}

std::optional<std::int64_t> optional_integer_in(const pqxx::row& row, const char* column) {
  if (row[column].is_null()) return std::nullopt;
  return integer_in(row, column);
}

AllocationId allocation_id_in(const pqxx::row& row) {
  return {.epoch = integer_in(row, "epoch"), .number = integer_in(row, "number")};
}

core::ExperimentRow experiment_row(const pqxx::row& row) {
  return {.id = {integer_in(row, "id")},
          .owner = text_in(row, "owner"),
          .name = text_in(row, "name"),
          .state = experiment_state_of(text_in(row, "state")),
          .config = stored_json(row["config"].c_str()),
          .config_text = text_in(row, "config_text"),
          .context = {text_in(row, "context")},
          .priority = int_in(row, "priority"),
          .created_ms = integer_in(row, "created_ms"),
          .ended_ms = integer_in(row, "ended_ms"),
          .progress = double_in(row, "progress"),
          .searcher_events = integer_in(row, "searcher_events"),
          .searcher_done = bool_in(row, "searcher_done"),
          .best_trial = {integer_in(row, "best_trial")},
          .best_metric = optional_double_in(row, "best_metric"),
          .message = text_in(row, "message"),
          .forked_from = {integer_in(row, "forked_from")},
          .archived = bool_in(row, "archived"),
          .notes = text_in(row, "notes"),
          .tidied = bool_in(row, "tidied"),
          .queued_ms = integer_in(row, "queued_ms")};
}

core::TrialRow trial_row(const pqxx::row& row) {
  return {.id = {integer_in(row, "id")},
          .experiment = {integer_in(row, "experiment_id")},
          .number = int_in(row, "number"),
          .request_id = text_in(row, "request_id"),
          .seed = static_cast<std::uint32_t>(integer_in(row, "seed")),
          .hparams = stored_json(row["hparams"].c_str()),
          .state = trial_state_of(text_in(row, "state")),
          .attempts = int_in(row, "attempts"),
          .restarts = int_in(row, "restarts"),
          .stopped_by_searcher = bool_in(row, "stopped_by_searcher"),
          .exit_told = bool_in(row, "exit_told"),
          .latest_checkpoint = {text_in(row, "latest_checkpoint")},
          .latest_step = integer_in(row, "latest_step"),
          .latest_metric = optional_double_in(row, "latest_metric"),
          .best_metric = optional_double_in(row, "best_metric"),
          .best_step = integer_in(row, "best_step"),
          .progress = double_in(row, "progress"),
          .created_ms = integer_in(row, "created_ms"),
          .ended_ms = integer_in(row, "ended_ms"),
          .message = text_in(row, "message"),
          .excluded_agents = agents_of(stored_json(row["excluded_agents"].c_str())),
          .log_policy = text_in(row, "log_policy"),
          .retries_canceled = bool_in(row, "retries_canceled")};
}

core::AllocationRow allocation_row(const pqxx::row& row) {
  return {.id = allocation_id_in(row),
          .trial = {integer_in(row, "trial_id")},
          .experiment = {integer_in(row, "experiment_id")},
          .attempt = int_in(row, "attempt"),
          .size = int_in(row, "size"),
          .state = allocation_state_of(text_in(row, "state")),
          .nodes = nodes_of(stored_json(row["nodes"].c_str())),
          .resumed_from = {text_in(row, "resumed_from")},
          .order = order_of(text_in(row, "last_order")),
          .preempt_deadline_ms = integer_in(row, "preempt_deadline_ms"),
          .created_ms = integer_in(row, "created_ms"),
          .started_ms = integer_in(row, "started_ms"),
          .ended_ms = integer_in(row, "ended_ms"),
          .outcome = text_in(row, "outcome")};
}

core::CheckpointRow checkpoint_row(const pqxx::row& row) {
  return {.id = {text_in(row, "id")},
          .trial = {integer_in(row, "trial_id")},
          .allocation = allocation_id_in(row),
          .step = integer_in(row, "step"),
          .parts = int_in(row, "parts"),
          .parts_announced = numbers_of<int>(row["parts_announced"].c_str()),
          .parts_stored = numbers_of<int>(row["parts_stored"].c_str()),
          .files = files_of(stored_json(row["files"].c_str())),
          .state = checkpoint_state_of(text_in(row, "state")),
          .metadata = stored_json(row["metadata"].c_str()),
          .created_ms = integer_in(row, "created_ms")};
}

core::AgentRow agent_row(const pqxx::row& row) {
  return {.id = {text_in(row, "id")},
          .machine_id = text_in(row, "machine_id"),
          .boot_id = text_in(row, "boot_id"),
          .name = text_in(row, "name"),
          .address = text_in(row, "address"),
          .pool = text_in(row, "pool"),
          .slots = slots_of(stored_json(row["slots"].c_str())),
          .version = text_in(row, "version"),
          .session = integer_in(row, "session"),
          .connected = bool_in(row, "connected"),
          .forgotten = bool_in(row, "forgotten"),
          .joined_ms = integer_in(row, "joined_ms"),
          .state = agent_state_of(text_in(row, "state")),
          .disabled_slots = texts_of(stored_json(row["disabled_slots"].c_str()))};
}

core::ChangeRow change_row(const pqxx::row& row) {
  return {.sequence = integer_in(row, "sequence"),
          .kind = text_in(row, "kind"),
          .id = text_in(row, "thing_id"),
          .experiment = {integer_in(row, "experiment_id")}};
}

core::InboxRow inbox_row(const pqxx::row& row) {
  return {.id = {integer_in(row, "id")},
          .allocation = allocation_id_in(row),
          .trial = {integer_in(row, "trial_id")},
          .stream = int_in(row, "stream"),
          .seq = integer_in(row, "seq"),
          .kind = record_kind_of(text_in(row, "kind")),
          .part_stored = bool_in(row, "part_stored"),
          .body = stored_json(row["body"].c_str())};
}

core::RequestRow request_row(const pqxx::row& row) {
  return {.request_id = text_in(row, "request_id"),
          .user = text_in(row, "user_name"),
          .request_digest = text_in(row, "request_digest"),
          .response = stored_json(row["response"].c_str()),
          .created_ms = integer_in(row, "created_ms")};
}

core::SearcherEventRow event_row(const pqxx::row& row) {
  return {.experiment = {integer_in(row, "experiment_id")},
          .number = integer_in(row, "number"),
          .event = stored_json(row["event"].c_str())};
}

core::SearcherSnapshotRow snapshot_row(const pqxx::row& row) {
  return {.experiment = {integer_in(row, "experiment_id")},
          .number = integer_in(row, "number"),
          .snapshot = stored_json(row["snapshot"].c_str())};
}

}  // namespace dt::master
