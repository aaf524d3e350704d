#include "master/store/rows_write.h"

#include <span>

#include "base/cat.h"
#include "formats/json.h"
#include "formats/json_text.h"
#include "master/store/row_values.h"

namespace dt::master {

namespace {

struct Column {
  const char* name;
  const char* type;
};

struct Table {
  const char* name;
  char letter;      // of it in the name of a prepared statement, which is 63 bytes at most
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

constexpr Table experiments{"experiments", 'e', "id", 1, experiment_columns};
constexpr Table trials{"trials", 't', "id", 1, trial_columns};
constexpr Table allocations{"allocations", 'a', "epoch, number", 2, allocation_columns};
constexpr Table checkpoints{"checkpoints", 'c', "md5(id)", 1, checkpoint_columns};
constexpr Table agents{"agents", 'g', "md5(id)", 1, agent_columns};
constexpr Table searcher_events{"searcher_events", 'v', "", 0, event_columns};
constexpr Table searcher_snapshots{"searcher_snapshots", 's', "experiment_id", 1, snapshot_columns};
constexpr Table provenances{"experiment_provenance", 'p', "", 0, provenance_columns};
constexpr Table requests{"requests", 'r', "md5(request_id)", 1, request_columns};
constexpr Table changes{"changes", 'h', "", 0, change_columns};
constexpr Table cluster{"cluster", 'l', "id", 1, cluster_columns};

// The columns that hold nested values are `json`; their rows travel as JSON, so they come as text.
bool is_json(std::string_view column) {
  for (const char* name : {"config", "hparams", "nodes", "files", "metadata", "slots", "event",
                           "snapshot", "response", "provenance", "shown", "excluded_agents",
                           "disabled_slots"}) {
    if (column == name) return true;
  }
  return false;
}

// A batch that does not follow the stored one writes nothing.
constexpr const char* batch_is_raised = "EXISTS (SELECT FROM raised)";
constexpr const char* raise_batch_sql =
    "raised AS (UPDATE loop_state SET batch = $1::bigint "
    "WHERE id = 1 AND batch = $1::bigint - 1 AND incarnation = $2 RETURNING batch)";

std::string write_sql(const Table& table, const std::string& parameter) {
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
                        " FROM json_to_recordset(", parameter, ") AS r (", types, ") WHERE ",
                        batch_is_raised);
  if (*table.key != '\0') sql += cat(" ON CONFLICT (", table.key, ") DO UPDATE SET ", updates);
  return sql;
}

// One row as the JSON object that json_to_recordset reads.
class RowText {
 public:
  explicit RowText(std::string& out) : out_(out) {}

  void add(const char* column, const std::string& text) {
    key(column);
    append_json_text(out_, text.find('\0') == std::string::npos ? text : storable(text));
  }
  void add(const char* column, const char* text) {
    key(column);
    append_json_text(out_, text);
  }
  void add(const char* column, bool value) {
    key(column);
    out_ += value ? "true" : "false";
  }
  void add(const char* column, std::int64_t number) {
    key(column);
    append_piece(out_, number);
  }
  void add(const char* column, int number) { add(column, std::int64_t{number}); }
  void add(const char* column, double number) {
    key(column);
    out_ += to_json(Value(number));
  }
  void add(const char* column, const std::optional<double>& number) {
    if (number) add(column, *number);  // what is left out is null
  }
  // A nested value, as the text of a json column.
  void add_json(const char* column, const Value& value) {
    key(column);
    append_json_text(out_, to_json(value));
  }
  void add_list(const char* column, const std::vector<int>& numbers) {
    key(column);
    out_ += to_json(integers_to_value(numbers));
  }
  void end() { out_ += is_empty_ ? "{}" : "}"; }

 private:
  void key(const char* column) {
    out_ += is_empty_ ? "{\"" : ",\"";
    out_ += column;
    out_ += "\":";
    is_empty_ = false;
  }

  std::string& out_;
  bool is_empty_ = true;
};

// Cut out here: operators of PostgreSQL's json refuse texts that the type itself takes (\u0000).
Value shown_of(const Value& config) {
  Value shown(Value::Object{});
  for (const char* key : {"searcher", "labels", "description", "resources"}) {
    if (!config[key].is_null()) shown.set(key, config[key]);
  }
  return shown;
}

void write_row(RowText& out, const core::ExperimentRow& row) {
  const Value& searcher = row.config["searcher"];
  const auto text_in = [&](const char* key) {
    return searcher[key].is_string() ? searcher[key].as_string() : std::string();
  };
  out.add("id", row.id.value);
  out.add("owner", row.owner);
  out.add("name", row.name);
  out.add("state", core::to_text(row.state));
  out.add("terminal", core::is_terminal(row.state));
  out.add_json("config", row.config);
  out.add("config_text", row.config_text);
  out.add("context", row.context.value);
  out.add("priority", row.priority);
  out.add("created_ms", row.created_ms);
  out.add("ended_ms", row.ended_ms);
  out.add("progress", row.progress);
  out.add("searcher_events", row.searcher_events);
  out.add("searcher_done", row.searcher_done);
  out.add("best_trial", row.best_trial.value);
  out.add("best_metric", row.best_metric);
  out.add("message", row.message);
  out.add("forked_from", row.forked_from.value);
  out.add("archived", row.archived);
  out.add("notes", row.notes);
  out.add("tidied", row.tidied);
  out.add("queued_ms", row.queued_ms);
  out.add_json("shown", shown_of(row.config));
  out.add("searcher_metric", text_in("metric"));
  out.add("time_metric", text_in("time_metric"));
}

void write_row(RowText& out, const core::TrialRow& row) {
  out.add("id", row.id.value);
  out.add("experiment_id", row.experiment.value);
  out.add("number", row.number);
  out.add("request_id", row.request_id);
  out.add("seed", std::int64_t{row.seed});
  out.add_json("hparams", row.hparams);
  out.add("state", core::to_text(row.state));
  out.add("attempts", row.attempts);
  out.add("restarts", row.restarts);
  out.add("stopped_by_searcher", row.stopped_by_searcher);
  out.add("exit_told", row.exit_told);
  out.add("latest_checkpoint", row.latest_checkpoint.value);
  out.add("latest_step", row.latest_step);
  out.add("latest_metric", row.latest_metric);
  out.add("best_metric", row.best_metric);
  out.add("best_step", row.best_step);
  out.add("progress", row.progress);
  out.add("created_ms", row.created_ms);
  out.add("ended_ms", row.ended_ms);
  out.add("message", row.message);
  out.add_json("excluded_agents", agents_to_value(row.excluded_agents));
  out.add("log_policy", row.log_policy);
  out.add("retries_canceled", row.retries_canceled);
}

void write_row(RowText& out, const core::AllocationRow& row) {
  out.add("epoch", row.id.epoch);
  out.add("number", row.id.number);
  out.add("trial_id", row.trial.value);
  out.add("experiment_id", row.experiment.value);
  out.add("attempt", row.attempt);
  out.add("size", row.size);
  out.add("state", core::to_text(row.state));
  out.add("ended", row.state == core::AllocationState::ended);
  out.add_json("nodes", nodes_to_value(row.nodes));
  out.add("resumed_from", row.resumed_from.value);
  out.add("last_order", core::to_text(row.order));
  out.add("preempt_deadline_ms", row.preempt_deadline_ms);
  out.add("created_ms", row.created_ms);
  out.add("started_ms", row.started_ms);
  out.add("ended_ms", row.ended_ms);
  out.add("outcome", row.outcome);
}

void write_row(RowText& out, const core::CheckpointRow& row) {
  out.add("id", row.id.value);
  out.add("trial_id", row.trial.value);
  out.add("epoch", row.allocation.epoch);
  out.add("number", row.allocation.number);
  out.add("step", row.step);
  out.add("parts", row.parts);
  out.add_list("parts_announced", row.parts_announced);
  out.add_list("parts_stored", row.parts_stored);
  out.add_json("files", files_to_value(row.files));
  out.add("state", core::to_text(row.state));
  out.add_json("metadata", row.metadata);
  out.add("created_ms", row.created_ms);
}

void write_row(RowText& out, const core::AgentRow& row) {
  out.add("id", row.id.value);
  out.add("machine_id", row.machine_id);
  out.add("boot_id", row.boot_id);
  out.add("name", row.name);
  out.add("address", row.address);
  out.add("pool", row.pool);
  out.add_json("slots", slots_to_value(row.slots));
  out.add("version", row.version);
  out.add("session", row.session);
  out.add("connected", row.connected);
  out.add("forgotten", row.forgotten);
  out.add("joined_ms", row.joined_ms);
  out.add("state", core::to_text(row.state));
  out.add_json("disabled_slots", texts_to_value(row.disabled_slots));
}

void write_row(RowText& out, const core::SearcherEventRow& row) {
  out.add("experiment_id", row.experiment.value);
  out.add("number", row.number);
  out.add_json("event", row.event);
}

void write_row(RowText& out, const core::SearcherSnapshotRow& row) {
  out.add("experiment_id", row.experiment.value);
  out.add("number", row.number);
  out.add_json("snapshot", row.snapshot);
}

void write_row(RowText& out, const core::ProvenanceRow& row) {
  out.add("experiment_id", row.experiment.value);
  out.add_json("provenance", row.provenance);
}

void write_row(RowText& out, const core::RequestRow& row) {
  out.add("request_id", row.request_id);
  out.add("user_name", row.user);
  out.add("request_digest", row.request_digest);
  out.add_json("response", row.response);
  out.add("created_ms", row.created_ms);
}

void write_row(RowText& out, const core::ChangeRow& row) {
  out.add("sequence", row.sequence);
  out.add("kind", row.kind);
  out.add("thing_id", row.id);
  out.add("experiment_id", row.experiment.value);
}

void write_row(RowText& out, const core::ClusterRow& row) {
  out.add("id", 1);
  out.add("cluster_id", row.cluster_id);
  out.add("cluster_epoch", row.cluster_epoch);
  out.add("last_experiment", row.last_experiment);
  out.add("last_trial", row.last_trial);
  out.add("last_allocation", row.last_allocation);
  out.add("last_session", row.last_session);
  out.add("last_change", row.last_change);
}

template <class Id>
std::string numbers_text(const std::vector<Id>& ids) {
  Value::Array list;
  for (const Id id : ids) list.push_back(id.value);
  return to_json(Value(std::move(list)));
}

// One statement for the whole batch, so that it is one exchange with the server however many kinds of
// rows it has. Its parts see nothing of each other; that a parent is there is checked at its end.
class BatchStatement {
 public:
  explicit BatchStatement(const core::LoopState& next)
      : sql_(cat("WITH ", raise_batch_sql)),
        parameters_{std::to_string(next.batch), storable(next.incarnation)} {}

  template <class Rows>
  void write(const Table& table, const Rows& rows) {
    if (std::empty(rows)) return;
    std::string text;
    for (const auto& row : rows) {
      text += text.empty() ? '[' : ',';
      RowText out(text);
      write_row(out, row);
      out.end();
    }
    text += ']';
    add(table.letter, std::move(text),
        [&](const std::string& parameter) { return write_sql(table, parameter); });
  }

  void consume(const std::vector<InboxId>& ids) {
    if (ids.empty()) return;
    add('i', numbers_text(ids), [](const std::string& parameter) {
      return cat("DELETE FROM inbox WHERE id IN "
                 "(SELECT value::bigint FROM json_array_elements_text(", parameter, ")) AND ",
                 batch_is_raised);
    });
  }

  // False when the batch does not follow the stored one.
  bool run(Transaction& tx) {
    const auto sql = [&] { return cat(sql_, " SELECT batch FROM raised"); };
    return tx.run_listed(name_, sql, parameters_).size() == 1;
  }

 private:
  template <class MakeSql>
  void add(char letter, std::string parameter, const MakeSql& make_sql) {
    parameters_.push_back(std::move(parameter));
    name_ += letter;
    sql_ += cat(", part_", letter, " AS (", make_sql(cat('$', parameters_.size(), "::json")), ")");
  }

  std::string name_ = "write_batch_";  // of this set of tables
  std::string sql_;
  std::vector<std::string> parameters_;
};

constexpr Statement delete_checkpoints{
    "delete_checkpoints",
    "UPDATE checkpoints SET state = $2 WHERE md5(id) IN "
    "(SELECT md5(value) FROM json_array_elements_text($1::json))"};
constexpr Statement erase_experiments{
    "erase_experiments",
    "DELETE FROM experiments WHERE id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json))"};

}  // namespace

bool write_batch(Transaction& tx, const core::LoopState& next, const core::Writes& writes) {
  BatchStatement batch(next);
  if (writes.cluster) batch.write(cluster, std::span(&*writes.cluster, 1));
  batch.write(experiments, writes.experiments);
  batch.write(provenances, writes.provenances);
  batch.write(trials, writes.trials);
  batch.write(allocations, writes.allocations);
  batch.write(checkpoints, writes.checkpoints);
  batch.write(agents, writes.agents);
  batch.write(searcher_events, writes.searcher_events);
  batch.write(searcher_snapshots, writes.searcher_snapshots);
  batch.write(requests, writes.requests);
  batch.write(changes, writes.changes);
  batch.consume(writes.consumed);
  if (!batch.run(tx)) return false;
  // These may name rows that were written just now, so they are statements of their own.
  if (!writes.deleted_checkpoints.empty()) {
    Value::Array ids;
    for (const CheckpointId& id : writes.deleted_checkpoints) ids.push_back(text_value(id.value));
    tx.run(delete_checkpoints, to_json(Value(std::move(ids))),
           std::string(core::to_text(core::CheckpointState::deleted)));
  }
  if (!writes.erased.empty()) tx.run(erase_experiments, numbers_text(writes.erased));
  return true;
}

}  // namespace dt::master
