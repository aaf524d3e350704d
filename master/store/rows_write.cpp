#include "master/store/rows_write.h"

#include <span>

#include "formats/json.h"
#include "master/store/row_values.h"

namespace dt::master {

namespace {

struct Column {
  const char* name;
  const char* type;
};

struct Table {
  const char* name;
  const char* key;  // the conflict target of an upsert; empty: rows are only added
  int key_columns;  // the first so many; an upsert leaves them, or it would lock out ingest's
                    // foreign keys to its row
  std::span<const Column> columns;
};

constexpr Column experiment_columns[] = {{"id", "bigint"},
                                         {"owner", "text"},
                                         {"name", "text"},
                                         {"state", "text"},
                                         {"terminal", "boolean"},
                                         {"config", "text"},
                                         {"config_text", "text"},
                                         {"context", "text"},
                                         {"priority", "integer"},
                                         {"created_ms", "bigint"},
                                         {"ended_ms", "bigint"},
                                         {"progress", "double precision"},
                                         {"searcher_events", "bigint"},
                                         {"searcher_done", "boolean"},
                                         {"best_trial", "bigint"},
                                         {"best_metric", "double precision"},
                                         {"message", "text"},
                                         {"forked_from", "bigint"},
                                         {"archived", "boolean"},
                                         {"notes", "text"},
                                         {"tidied", "boolean"},
                                         {"queued_ms", "bigint"},
                                         {"shown", "text"},
                                         {"searcher_metric", "text"},
                                         {"time_metric", "text"}};

constexpr Column trial_columns[] = {{"id", "bigint"},
                                    {"experiment_id", "bigint"},
                                    {"number", "integer"},
                                    {"request_id", "text"},
                                    {"seed", "bigint"},
                                    {"hparams", "text"},
                                    {"state", "text"},
                                    {"attempts", "integer"},
                                    {"restarts", "integer"},
                                    {"stopped_by_searcher", "boolean"},
                                    {"exit_told", "boolean"},
                                    {"latest_checkpoint", "text"},
                                    {"latest_step", "bigint"},
                                    {"latest_metric", "double precision"},
                                    {"best_metric", "double precision"},
                                    {"best_step", "bigint"},
                                    {"progress", "double precision"},
                                    {"created_ms", "bigint"},
                                    {"ended_ms", "bigint"},
                                    {"message", "text"},
                                    {"excluded_agents", "text"},
                                    {"log_policy", "text"},
                                    {"retries_canceled", "boolean"}};

constexpr Column allocation_columns[] = {
    {"epoch", "bigint"},         {"number", "bigint"},     {"trial_id", "bigint"},
    {"experiment_id", "bigint"}, {"attempt", "integer"},   {"size", "integer"},
    {"state", "text"},           {"ended", "boolean"},     {"nodes", "text"},
    {"resumed_from", "text"},    {"last_order", "text"},   {"preempt_deadline_ms", "bigint"},
    {"created_ms", "bigint"},    {"started_ms", "bigint"}, {"ended_ms", "bigint"},
    {"outcome", "text"}};

constexpr Column checkpoint_columns[] = {{"id", "text"},
                                         {"trial_id", "bigint"},
                                         {"epoch", "bigint"},
                                         {"number", "bigint"},
                                         {"step", "bigint"},
                                         {"parts", "integer"},
                                         {"parts_announced", "integer[]"},
                                         {"parts_stored", "integer[]"},
                                         {"files", "text"},
                                         {"state", "text"},
                                         {"metadata", "text"},
                                         {"created_ms", "bigint"}};

constexpr Column agent_columns[] = {
    {"id", "text"},           {"machine_id", "text"},   {"boot_id", "text"},
    {"name", "text"},         {"address", "text"},      {"pool", "text"},
    {"slots", "text"},        {"version", "text"},      {"session", "bigint"},
    {"connected", "boolean"}, {"forgotten", "boolean"}, {"joined_ms", "bigint"},
    {"state", "text"},        {"disabled_slots", "text"}};

constexpr Column event_columns[] = {
    {"experiment_id", "bigint"}, {"number", "bigint"}, {"event", "text"}};

constexpr Column snapshot_columns[] = {
    {"experiment_id", "bigint"}, {"number", "bigint"}, {"snapshot", "text"}};

constexpr Column provenance_columns[] = {{"experiment_id", "bigint"}, {"provenance", "text"}};

constexpr Column request_columns[] = {{"request_id", "text"},
                                      {"user_name", "text"},
                                      {"request_digest", "text"},
                                      {"response", "text"},
                                      {"created_ms", "bigint"}};

constexpr Column change_columns[] = {
    {"sequence", "bigint"}, {"kind", "text"}, {"thing_id", "text"}, {"experiment_id", "bigint"}};

constexpr Column cluster_columns[] = {{"id", "integer"},           {"cluster_id", "text"},
                                      {"cluster_epoch", "bigint"}, {"last_experiment", "bigint"},
                                      {"last_trial", "bigint"},    {"last_allocation", "bigint"},
                                      {"last_session", "bigint"},  {"last_change", "bigint"}};

constexpr Table experiments{"experiments", "id", 1, experiment_columns};
constexpr Table trials{"trials", "id", 1, trial_columns};
constexpr Table allocations{"allocations", "epoch, number", 2, allocation_columns};
constexpr Table checkpoints{"checkpoints", "md5(id)", 1, checkpoint_columns};
constexpr Table agents{"agents", "md5(id)", 1, agent_columns};
constexpr Table searcher_events{"searcher_events", "", 0, event_columns};
constexpr Table searcher_snapshots{"searcher_snapshots", "experiment_id", 1, snapshot_columns};
constexpr Table provenances{"experiment_provenance", "", 0, provenance_columns};
constexpr Table requests{"requests", "md5(request_id)", 1, request_columns};
constexpr Table changes{"changes", "", 0, change_columns};
constexpr Table cluster{"cluster", "id", 1, cluster_columns};

// The columns that hold nested values are `json`; their rows travel as JSON, so they come as text.
bool is_json(std::string_view column) {
  for (const char* name : {"config", "hparams", "nodes", "files", "metadata", "slots", "event",
                           "snapshot", "response", "provenance", "shown", "excluded_agents",
                           "disabled_slots"}) {
    if (column == name) return true;
  }
  return false;
}

std::string write_sql(const Table& table) {
  std::string names, values, types, updates;
  int place = 0;
  for (const Column& column : table.columns) {
    const char* comma = names.empty() ? "" : ", ";
    names += cat(comma, column.name);
    values += cat(comma, "r.", column.name, is_json(column.name) ? "::json" : "");
    types += cat(comma, column.name, " ", column.type);
    if (place++ < table.key_columns) continue;
    updates += cat(updates.empty() ? "" : ", ", column.name, " = excluded.", column.name);
  }
  std::string sql = cat("INSERT INTO ", table.name, " (", names, ") SELECT ", values,
                        " FROM json_to_recordset($1::json) AS r (", types, ")");
  if (*table.key != '\0') sql += cat(" ON CONFLICT (", table.key, ") DO UPDATE SET ", updates);
  return sql;
}

using Object = Value::Object;

Value optional_number(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

// Cut out here: operators of PostgreSQL's json refuse texts that the type itself takes (\u0000).
Value shown_of(const Value& config) {
  Value shown(Value::Object{});
  for (const char* key : {"searcher", "labels", "description", "resources"}) {
    if (!config[key].is_null()) shown.set(key, config[key]);
  }
  return shown;
}

Value row_of(const core::ExperimentRow& row) {
  const Value& searcher = row.config["searcher"];
  const auto text_in = [&](const char* key) {
    return searcher[key].is_string() ? text_value(searcher[key].as_string()) : Value("");
  };
  return Object{{"id", row.id.value},
                {"owner", text_value(row.owner)},
                {"name", text_value(row.name)},
                {"state", core::to_text(row.state)},
                {"terminal", core::is_terminal(row.state)},
                {"config", json_value(row.config)},
                {"config_text", text_value(row.config_text)},
                {"context", text_value(row.context.value)},
                {"priority", row.priority},
                {"created_ms", row.created_ms},
                {"ended_ms", row.ended_ms},
                {"progress", row.progress},
                {"searcher_events", row.searcher_events},
                {"searcher_done", row.searcher_done},
                {"best_trial", row.best_trial.value},
                {"best_metric", optional_number(row.best_metric)},
                {"message", text_value(row.message)},
                {"forked_from", row.forked_from.value},
                {"archived", row.archived},
                {"notes", text_value(row.notes)},
                {"tidied", row.tidied},
                {"queued_ms", row.queued_ms},
                {"shown", json_value(shown_of(row.config))},
                {"searcher_metric", text_in("metric")},
                {"time_metric", text_in("time_metric")}};
}

Value row_of(const core::TrialRow& row) {
  return Object{{"id", row.id.value},
                {"experiment_id", row.experiment.value},
                {"number", row.number},
                {"request_id", text_value(row.request_id)},
                {"seed", std::int64_t{row.seed}},
                {"hparams", json_value(row.hparams)},
                {"state", core::to_text(row.state)},
                {"attempts", row.attempts},
                {"restarts", row.restarts},
                {"stopped_by_searcher", row.stopped_by_searcher},
                {"exit_told", row.exit_told},
                {"latest_checkpoint", text_value(row.latest_checkpoint.value)},
                {"latest_step", row.latest_step},
                {"latest_metric", optional_number(row.latest_metric)},
                {"best_metric", optional_number(row.best_metric)},
                {"best_step", row.best_step},
                {"progress", row.progress},
                {"created_ms", row.created_ms},
                {"ended_ms", row.ended_ms},
                {"message", text_value(row.message)},
                {"excluded_agents", json_value(agents_to_value(row.excluded_agents))},
                {"log_policy", text_value(row.log_policy)},
                {"retries_canceled", row.retries_canceled}};
}

Value row_of(const core::AllocationRow& row) {
  return Object{{"epoch", row.id.epoch},
                {"number", row.id.number},
                {"trial_id", row.trial.value},
                {"experiment_id", row.experiment.value},
                {"attempt", row.attempt},
                {"size", row.size},
                {"state", core::to_text(row.state)},
                {"ended", row.state == core::AllocationState::ended},
                {"nodes", json_value(nodes_to_value(row.nodes))},
                {"resumed_from", text_value(row.resumed_from.value)},
                {"last_order", core::to_text(row.order)},
                {"preempt_deadline_ms", row.preempt_deadline_ms},
                {"created_ms", row.created_ms},
                {"started_ms", row.started_ms},
                {"ended_ms", row.ended_ms},
                {"outcome", text_value(row.outcome)}};
}

Value row_of(const core::CheckpointRow& row) {
  return Object{{"id", text_value(row.id.value)},
                {"trial_id", row.trial.value},
                {"epoch", row.allocation.epoch},
                {"number", row.allocation.number},
                {"step", row.step},
                {"parts", row.parts},
                {"parts_announced", integers_to_value(row.parts_announced)},
                {"parts_stored", integers_to_value(row.parts_stored)},
                {"files", json_value(files_to_value(row.files))},
                {"state", core::to_text(row.state)},
                {"metadata", json_value(row.metadata)},
                {"created_ms", row.created_ms}};
}

Value row_of(const core::AgentRow& row) {
  return Object{{"id", text_value(row.id.value)},
                {"machine_id", text_value(row.machine_id)},
                {"boot_id", text_value(row.boot_id)},
                {"name", text_value(row.name)},
                {"address", text_value(row.address)},
                {"pool", text_value(row.pool)},
                {"slots", json_value(slots_to_value(row.slots))},
                {"version", text_value(row.version)},
                {"session", row.session},
                {"connected", row.connected},
                {"forgotten", row.forgotten},
                {"joined_ms", row.joined_ms},
                {"state", core::to_text(row.state)},
                {"disabled_slots", json_value(texts_to_value(row.disabled_slots))}};
}

Value row_of(const core::SearcherEventRow& row) {
  return Object{{"experiment_id", row.experiment.value},
                {"number", row.number},
                {"event", json_value(row.event)}};
}

Value row_of(const core::SearcherSnapshotRow& row) {
  return Object{{"experiment_id", row.experiment.value},
                {"number", row.number},
                {"snapshot", json_value(row.snapshot)}};
}

Value row_of(const core::ProvenanceRow& row) {
  return Object{{"experiment_id", row.experiment.value},
                {"provenance", json_value(row.provenance)}};
}

Value row_of(const core::RequestRow& row) {
  return Object{{"request_id", text_value(row.request_id)},
                {"user_name", text_value(row.user)},
                {"request_digest", text_value(row.request_digest)},
                {"response", json_value(row.response)},
                {"created_ms", row.created_ms}};
}

Value row_of(const core::ChangeRow& row) {
  return Object{{"sequence", row.sequence},
                {"kind", text_value(row.kind)},
                {"thing_id", text_value(row.id)},
                {"experiment_id", row.experiment.value}};
}

Value row_of(const core::ClusterRow& row) {
  return Object{{"id", 1},
                {"cluster_id", text_value(row.cluster_id)},
                {"cluster_epoch", row.cluster_epoch},
                {"last_experiment", row.last_experiment},
                {"last_trial", row.last_trial},
                {"last_allocation", row.last_allocation},
                {"last_session", row.last_session},
                {"last_change", row.last_change}};
}

template <class Row>
void write(Transaction& tx, const Table& table, std::span<const Row> rows) {
  if (rows.empty()) return;
  Value::Array list;
  list.reserve(rows.size());
  for (const Row& row : rows) list.push_back(row_of(row));
  tx.run_made(
      cat("write_", table.name), [&] { return write_sql(table); }, to_json(Value(std::move(list))));
}

template <class Row>
void write(Transaction& tx, const Table& table, const std::vector<Row>& rows) {
  write(tx, table, std::span<const Row>(rows));
}

constexpr Statement delete_checkpoints{
    "delete_checkpoints",
    "UPDATE checkpoints SET state = $2 WHERE md5(id) IN "
    "(SELECT md5(value) FROM json_array_elements_text($1::json))"};
constexpr Statement erase_experiments{
    "erase_experiments",
    "DELETE FROM experiments WHERE id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json))"};
constexpr Statement delete_consumed{
    "delete_consumed",
    "DELETE FROM inbox WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json))"};

template <class Id>
std::string numbers_text(const std::vector<Id>& ids) {
  Value::Array list;
  for (const Id id : ids) list.push_back(id.value);
  return to_json(Value(std::move(list)));
}

}  // namespace

void write_rows(Transaction& tx, const core::Writes& writes) {
  if (writes.cluster) write(tx, cluster, std::span(&*writes.cluster, 1));
  write(tx, experiments, writes.experiments);
  write(tx, provenances, writes.provenances);
  write(tx, trials, writes.trials);
  write(tx, allocations, writes.allocations);
  write(tx, checkpoints, writes.checkpoints);
  write(tx, agents, writes.agents);
  write(tx, searcher_events, writes.searcher_events);
  write(tx, searcher_snapshots, writes.searcher_snapshots);
  write(tx, requests, writes.requests);
  write(tx, changes, writes.changes);
  if (!writes.consumed.empty()) tx.run(delete_consumed, numbers_text(writes.consumed));
  if (!writes.deleted_checkpoints.empty()) {
    Value::Array ids;
    for (const CheckpointId& id : writes.deleted_checkpoints) ids.push_back(text_value(id.value));
    tx.run(delete_checkpoints, to_json(Value(std::move(ids))),
           std::string(core::to_text(core::CheckpointState::deleted)));
  }
  if (!writes.erased.empty()) tx.run(erase_experiments, numbers_text(writes.erased));
}

}  // namespace dt::master
