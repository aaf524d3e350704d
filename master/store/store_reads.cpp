// Reads of experiments, trials and their things, for the API.
#include "formats/json.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement newest_experiments{"newest_experiments", select_experiments_shown,
                                       "WHERE ($1::bigint = 0 OR id < $1::bigint) "
                                       "AND (json_array_length($2::json) = 0 "
                                       "OR state IN (SELECT json_array_elements_text($2::json))) "
                                       "AND ($4::boolean OR NOT archived) "
                                       "ORDER BY id DESC LIMIT $3::bigint"};
constexpr Statement one_experiment{"one_experiment", select_experiments, "WHERE id = $1::bigint"};
constexpr Statement snapshot_of_search{"snapshot_of_search", select_snapshots,
                                       "WHERE experiment_id = $1::bigint"};
constexpr Statement events_of_search{
    "events_of_search", select_events,
    "WHERE experiment_id = $1::bigint AND number > $2::bigint ORDER BY number"};
constexpr Statement some_events_of_search{
    "some_events_of_search", select_events,
    "WHERE experiment_id = $1::bigint AND number > $2::bigint ORDER BY number LIMIT $3::int"};
constexpr Statement states_of_trials{
    "states_of_trials",
    "SELECT experiment_id, state, count(*) AS trials FROM trials WHERE experiment_id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json)) "
    "GROUP BY experiment_id, state"};
constexpr Statement page_of_trials{"page_of_trials", select_trials,
                                   "WHERE experiment_id = $1::bigint AND number > $2::integer "
                                   "ORDER BY number LIMIT $3::bigint"};
constexpr Statement one_trial{"one_trial", select_trials, "WHERE id = $1::bigint"};
constexpr Statement allocations_of_trial{
    "allocations_of_trial", select_allocations,
    "WHERE trial_id = $1::bigint ORDER BY attempt, epoch, number"};
constexpr Statement checkpoints_of_trial{
    "checkpoints_of_trial", select_checkpoints,
    "WHERE trial_id = $1::bigint ORDER BY step, created_ms, id COLLATE \"C\""};
constexpr Statement all_agents{"all_agents", select_agents, "ORDER BY name, id COLLATE \"C\""};
constexpr Statement allocations_not_ended{"allocations_not_ended", select_allocations,
                                          "WHERE NOT ended ORDER BY epoch, number"};
constexpr Statement changes_from{"changes_from", select_changes,
                                 "WHERE sequence > $1::bigint ORDER BY sequence LIMIT $2::bigint"};
constexpr Statement first_change{"first_change",
                                 "SELECT coalesce((SELECT min(sequence) FROM changes), "
                                 "(SELECT last_change + 1 FROM cluster WHERE id = 1)) AS sequence"};
constexpr Statement environment_records{
    "environment_records",
    "SELECT r.stream, r.body, a.epoch, a.number, a.nodes FROM records_other r "
    "JOIN allocations a ON a.epoch = r.epoch AND a.number = r.number "
    "WHERE a.trial_id = $1::bigint AND r.kind = 'environment' "
    "AND ($2::integer = 0 OR a.attempt = $2::integer) "
    "ORDER BY a.attempt DESC, r.stream DESC, r.seq"};

// Of one attempt: the one asked for, else the latest that has any.
constexpr Statement records_of_run{
    "records_of_run",
    "WITH said AS (SELECT r.stream, r.seq, r.kind, r.body, a.epoch, a.number, a.attempt, a.nodes "
    "FROM records_other r JOIN allocations a ON a.epoch = r.epoch AND a.number = r.number "
    "WHERE a.trial_id = $1::bigint AND r.kind IN ('environment', 'hello') "
    "AND ($2::integer = 0 OR a.attempt = $2::integer)) "
    "SELECT stream, kind, body, attempt, nodes FROM said "
    "WHERE attempt = (SELECT max(attempt) FROM said) ORDER BY stream, epoch, number, seq"};
constexpr Statement provenance_of_experiment{
    "provenance_of_experiment",
    "SELECT provenance FROM experiment_provenance WHERE experiment_id = $1::bigint"};

// The stream in which the node that holds this rank speaks for itself.
int node_stream_of(const std::vector<core::AllocationNode>& nodes, int rank) {
  const core::AllocationNode* holder = nullptr;
  for (const core::AllocationNode& node : nodes) {
    const bool closer = holder == nullptr || node.first_rank > holder->first_rank;
    if (node.first_rank <= rank && closer) holder = &node;
  }
  return core::node_stream(holder == nullptr ? 0 : holder->node_rank);
}

AgentId agent_of(const std::vector<core::AllocationNode>& nodes, int stream) {
  const int node_stream = stream < 0 ? stream : node_stream_of(nodes, stream);
  for (const core::AllocationNode& node : nodes) {
    if (core::node_stream(node.node_rank) == node_stream) return node.agent;
  }
  return {};
}

std::string ids_text(const std::vector<ExperimentId>& ids) {
  Value::Array list;
  for (const ExperimentId id : ids) list.push_back(id.value);
  return to_json(Value(std::move(list)));
}

void count(TrialCounts& counts, core::TrialState state, int trials) {
  counts.all += trials;
  if (!core::is_terminal(state)) counts.active += trials;
  if (state == core::TrialState::completed) counts.completed += trials;
  if (state == core::TrialState::error) counts.errored += trials;
}

}  // namespace

Result<std::vector<core::ExperimentRow>> PostgresStore::list_experiments(
    const ExperimentFilter& filter) {
  Value::Array list;
  for (const std::string& state : filter.states) list.push_back(text_value(state));
  const std::string wanted = to_json(Value(std::move(list)));
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::ExperimentRow>> {
    return rows_of(
        tx.run(newest_experiments, filter.before.value, wanted, filter.limit, filter.archived),
        experiment_row);
  });
}

Result<core::ExperimentRow> PostgresStore::experiment(ExperimentId id) {
  return pool_->transact([&](Transaction& tx) -> Result<core::ExperimentRow> {
    const pqxx::result rows = tx.run(one_experiment, id.value);
    if (rows.empty()) return not_found("experiment ", id, " does not exist");
    return experiment_row(rows[0]);
  });
}

Result<StoredSearch> PostgresStore::search_of(ExperimentId id) {
  return pool_->transact([&](Transaction& tx) -> Result<StoredSearch> {
    const pqxx::result rows = tx.run(one_experiment, id.value);
    if (rows.empty()) return not_found("experiment ", id, " does not exist");
    StoredSearch search{.experiment = experiment_row(rows[0])};
    const pqxx::result snapshots = tx.run(snapshot_of_search, id.value);
    if (!snapshots.empty()) search.snapshot = snapshot_row(snapshots[0]);
    search.events =
        rows_of(tx.run(events_of_search, id.value, search.snapshot ? search.snapshot->number : 0),
                event_row);
    return search;
  });
}

Result<std::vector<core::SearcherEventRow>> PostgresStore::search_events(ExperimentId id,
                                                                         std::int64_t after,
                                                                         int limit) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::SearcherEventRow>> {
    return rows_of(tx.run(some_events_of_search, id.value, after, limit), event_row);
  });
}

Result<std::map<ExperimentId, TrialCounts>> PostgresStore::trial_counts(
    const std::vector<ExperimentId>& experiments) {
  return pool_->transact([&](Transaction& tx) -> Result<std::map<ExperimentId, TrialCounts>> {
    std::map<ExperimentId, TrialCounts> counts;
    for (const ExperimentId id : experiments) counts[id];
    for (const auto& row : tx.run(states_of_trials, ids_text(experiments))) {
      count(counts[{integer_in(row, "experiment_id")}], trial_state_of(text_in(row, "state")),
            int_in(row, "trials"));
    }
    return counts;
  });
}

Result<std::vector<core::TrialRow>> PostgresStore::list_trials(const TrialFilter& filter) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::TrialRow>> {
    return rows_of(
        tx.run(page_of_trials, filter.experiment.value, filter.after_number, filter.limit),
        trial_row);
  });
}

Result<core::TrialRow> PostgresStore::trial(TrialId id) {
  return pool_->transact([&](Transaction& tx) -> Result<core::TrialRow> {
    const pqxx::result rows = tx.run(one_trial, id.value);
    if (rows.empty()) return not_found("trial ", id, " does not exist");
    return trial_row(rows[0]);
  });
}

Result<std::vector<core::AllocationRow>> PostgresStore::allocations_of(TrialId trial) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::AllocationRow>> {
    return rows_of(tx.run(allocations_of_trial, trial.value), allocation_row);
  });
}

Result<std::vector<core::CheckpointRow>> PostgresStore::checkpoints_of(TrialId trial) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::CheckpointRow>> {
    return rows_of(tx.run(checkpoints_of_trial, trial.value), checkpoint_row);
  });
}

Result<std::vector<core::AgentRow>> PostgresStore::list_agents() {
  return pool_->transact([](Transaction& tx) -> Result<std::vector<core::AgentRow>> {
    return rows_of(tx.run(all_agents), agent_row);
  });
}

Result<std::vector<core::AllocationRow>> PostgresStore::live_allocations() {
  return pool_->transact([](Transaction& tx) -> Result<std::vector<core::AllocationRow>> {
    return rows_of(tx.run(allocations_not_ended), allocation_row);
  });
}

Result<Value> PostgresStore::environment(TrialId trial, int attempt, int rank) {
  return pool_->transact([&](Transaction& tx) -> Result<Value> {
    // Of the latest attempt that has any; a rank's own record comes before its node's.
    for (const auto& row : tx.run(environment_records, trial.value, attempt)) {
      const int stream = int_in(row, "stream");
      const int node = node_stream_of(nodes_of(stored_json(row["nodes"].c_str())), rank);
      if (stream == rank || stream == node) return stored_json(row["body"].c_str());
    }
    return not_found("trial ", trial, " has no environment of rank ", rank,
                     attempt == 0 ? "" : cat(" in attempt ", attempt))
        .with_hint("it is recorded when the rank starts");
  });
}

Result<RunRecords> PostgresStore::run_records(TrialId trial, int attempt) {
  return pool_->transact([&](Transaction& tx) -> Result<RunRecords> {
    RunRecords run;
    for (const auto& row : tx.run(records_of_run, trial.value, attempt)) {
      run.attempt = int_in(row, "attempt");
      const int stream = int_in(row, "stream");
      run.records.push_back({.agent = agent_of(nodes_of(stored_json(row["nodes"].c_str())), stream),
                             .stream = stream,
                             .kind = record_kind_of(text_in(row, "kind")),
                             .body = stored_json(row["body"].c_str())});
    }
    return run;
  });
}

Result<Value> PostgresStore::provenance(ExperimentId experiment) {
  return pool_->transact([&](Transaction& tx) -> Result<Value> {
    const pqxx::result rows = tx.run(provenance_of_experiment, experiment.value);
    return rows.empty() ? Value() : stored_json(rows[0]["provenance"].c_str());
  });
}

Result<std::vector<core::ChangeRow>> PostgresStore::changes_after(std::int64_t sequence,
                                                                  int limit) {
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<core::ChangeRow>> {
    return rows_of(tx.run(changes_from, sequence, limit), change_row);
  });
}

Result<std::int64_t> PostgresStore::oldest_change() {
  return pool_->transact([](Transaction& tx) -> Result<std::int64_t> {
    return integer_in(tx.run(first_change)[0], "sequence");
  });
}

}  // namespace dt::master
