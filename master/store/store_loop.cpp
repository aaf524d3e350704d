// The loop's part of the store: commits with their fence, and the start from what is durable.
#include <algorithm>

#include "formats/json.h"
#include "master/store/connection_text.h"
#include "master/store/migrations.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/rows_write.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement read_loop_state{"read_loop_state",
                                    "SELECT batch, incarnation FROM loop_state WHERE id = 1"};
constexpr Statement set_incarnation{
    "set_incarnation",
    "UPDATE loop_state SET incarnation = $1 WHERE id = 1 RETURNING batch, incarnation"};

constexpr Statement live_cluster{
    "live_cluster",
    "SELECT cluster_id, cluster_epoch, last_experiment, last_trial, last_allocation, last_session, "
    "last_change FROM cluster WHERE id = 1"};
constexpr Statement live_experiments{"live_experiments", select_experiments,
                                     "WHERE NOT terminal ORDER BY id"};
constexpr Statement live_trials{
    "live_trials", select_trials,
    "WHERE experiment_id IN (SELECT id FROM experiments WHERE NOT terminal) ORDER BY id"};
constexpr Statement live_allocations_all{"live_allocations_all", select_allocations,
                                         "WHERE NOT ended ORDER BY epoch, number"};
constexpr Statement live_checkpoints{
    "live_checkpoints", select_checkpoints,
    // A copy of a trial starts from that one's checkpoint, so the latest may be another's.
    "c WHERE c.id IN (SELECT t.latest_checkpoint FROM trials t JOIN experiments e "
    "ON e.id = t.experiment_id WHERE NOT e.terminal) OR EXISTS "
    "(SELECT 1 FROM trials t JOIN experiments e ON e.id = t.experiment_id "
    "WHERE t.id = c.trial_id AND NOT e.terminal AND (c.state IN ($1, $2) OR c.id IN "
    "(SELECT resumed_from FROM allocations WHERE NOT ended AND last_order = $3))) "
    "ORDER BY id COLLATE \"C\""};
constexpr Statement live_agents{"live_agents", select_agents,
                                "WHERE NOT forgotten ORDER BY id COLLATE \"C\""};
constexpr Statement live_snapshots{
    "live_snapshots", select_snapshots,
    "WHERE experiment_id IN (SELECT id FROM experiments WHERE NOT terminal) "
    "ORDER BY experiment_id"};
constexpr Statement live_events{
    "live_events", select_events,
    "v WHERE experiment_id IN (SELECT id FROM experiments WHERE NOT terminal) "
    "AND number > coalesce((SELECT s.number FROM searcher_snapshots s "
    "WHERE s.experiment_id = v.experiment_id), 0) ORDER BY experiment_id, number"};
constexpr Statement live_requests{"live_requests", select_requests,
                                  "WHERE created_ms > extract(epoch FROM now()) * 1000 - 86400000 "
                                  "ORDER BY request_id COLLATE \"C\""};
constexpr Statement whole_inbox{"whole_inbox", select_inbox, "ORDER BY id"};

// Of the experiments in a JSON list of ids.
constexpr Statement named_experiments{
    "named_experiments", select_experiments,
    "WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) ORDER BY id"};
constexpr Statement named_trials{
    "named_trials", select_trials,
    "WHERE experiment_id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) "
    "ORDER BY id"};
constexpr Statement named_checkpoints{
    "named_checkpoints", select_checkpoints,
    "c WHERE c.id IN (SELECT latest_checkpoint FROM trials WHERE experiment_id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json))) "
    "OR (c.state IN ($2, $3) AND c.trial_id IN (SELECT id FROM trials WHERE experiment_id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json)))) ORDER BY id COLLATE \"C\""};
constexpr Statement named_snapshots{
    "named_snapshots", select_snapshots,
    "WHERE experiment_id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) "
    "ORDER BY experiment_id"};
constexpr Statement named_events{
    "named_events", select_events,
    "v WHERE experiment_id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) "
    "AND number > coalesce((SELECT s.number FROM searcher_snapshots s "
    "WHERE s.experiment_id = v.experiment_id), 0) ORDER BY experiment_id, number"};

constexpr int ingest_groups = 4;             // at once, each on a connection
constexpr std::size_t ingests_a_group = 64;  // one may have thousands of records

core::LoopState loop_state_of(const pqxx::result& rows) {
  return {.batch = integer_in(rows[0], "batch"), .incarnation = text_in(rows[0], "incarnation")};
}

core::ClusterRow cluster_row(const pqxx::row& row) {
  return {.cluster_id = text_in(row, "cluster_id"),
          .cluster_epoch = integer_in(row, "cluster_epoch"),
          .last_experiment = integer_in(row, "last_experiment"),
          .last_trial = integer_in(row, "last_trial"),
          .last_allocation = integer_in(row, "last_allocation"),
          .last_session = integer_in(row, "last_session"),
          .last_change = integer_in(row, "last_change")};
}

}  // namespace

PostgresStore::PostgresStore(std::unique_ptr<Database> loop, std::unique_ptr<Database> pool)
    : loop_(std::move(loop)),
      pool_(std::move(pool)),
      ingests_(ingest_groups, ingests_a_group,
               [this](const Ingests::Items& items) { return ingest_all(items); }) {}

PostgresStore::~PostgresStore() = default;

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(const PostgresOptions& options) {
  const std::string connection = with_network_limits(options.connection);
  TRY(migrate(connection, embedded_migrations()));
  return std::unique_ptr<PostgresStore>(new PostgresStore(
      std::make_unique<Database>(connection, 1, options.folder),
      std::make_unique<Database>(connection, options.connections, options.folder)));
}

std::chrono::seconds PostgresStore::longest_run() const {
  return std::max(loop_->longest_run(), pool_->longest_run());
}

Status PostgresStore::commit(const core::LoopState& next, const core::Writes& writes) {
  return loop_->run([&](Transaction& tx) -> Status {
    if (write_batch(tx, next, writes)) return {};
    const core::LoopState found = loop_state_of(tx.run(read_loop_state));
    return aborted("batch ", next.batch, " of master ", next.incarnation,
                   " does not follow batch ", found.batch, " of master ", found.incarnation);
  });
}

Result<core::LoopState> PostgresStore::loop_state() {
  return loop_->transact([](Transaction& tx) -> Result<core::LoopState> {
    return loop_state_of(tx.run(read_loop_state));
  });
}

Result<core::LoopState> PostgresStore::take_over(const std::string& incarnation) {
  return loop_->transact([&](Transaction& tx) -> Result<core::LoopState> {
    return loop_state_of(tx.run(set_incarnation, storable(incarnation)));
  });
}

Result<core::Recovered> PostgresStore::load() {
  return loop_->transact([](Transaction& tx) -> Result<core::Recovered> {
    tx.run_script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");  // one moment for all
    return core::Recovered{
        .cluster = cluster_row(tx.run(live_cluster)[0]),
        .experiments = rows_of(tx.run(live_experiments), experiment_row),
        .trials = rows_of(tx.run(live_trials), trial_row),
        .allocations = rows_of(tx.run(live_allocations_all), allocation_row),
        .checkpoints = rows_of(
            tx.run(live_checkpoints, std::string(core::to_text(core::CheckpointState::pending)),
                   std::string(core::to_text(core::CheckpointState::abandoned)),
                   std::string(core::to_text(core::Order::prepare))),
            checkpoint_row),
        .agents = rows_of(tx.run(live_agents), agent_row),
        .searcher_snapshots = rows_of(tx.run(live_snapshots), snapshot_row),
        .searcher_events = rows_of(tx.run(live_events), event_row),
        .requests = rows_of(tx.run(live_requests), request_row),
        .inbox = rows_of(tx.run(whole_inbox), inbox_row)};
  });
}

Result<core::Recovered> PostgresStore::load_experiments(const std::vector<ExperimentId>& ids) {
  Value::Array list;
  for (const ExperimentId id : ids) list.push_back(id.value);
  const std::string named = to_json(Value(std::move(list)));
  return loop_->transact([&](Transaction& tx) -> Result<core::Recovered> {
    tx.run_script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    return core::Recovered{
        .experiments = rows_of(tx.run(named_experiments, named), experiment_row),
        .trials = rows_of(tx.run(named_trials, named), trial_row),
        .checkpoints = rows_of(
            tx.run(named_checkpoints, named,
                   std::string(core::to_text(core::CheckpointState::pending)),
                   std::string(core::to_text(core::CheckpointState::abandoned))),
            checkpoint_row),
        .searcher_snapshots = rows_of(tx.run(named_snapshots, named), snapshot_row),
        .searcher_events = rows_of(tx.run(named_events, named), event_row)};
  });
}

}  // namespace dt::master
