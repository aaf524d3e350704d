// What lies below an experiment goes piece by piece, children first, so that no transaction is long
// and an interrupted deletion goes on where it stopped. The experiment's own row goes last, in a
// batch of the loop.
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement being_deleted{
    "being_deleted", "SELECT id FROM experiments WHERE state = 'DELETING' ORDER BY id"};

// Hashes are found in the text: operators of json refuse some texts that the type itself takes.
constexpr Statement files_of_experiment{
    "files_of_experiment",
    "SELECT DISTINCT m[1] AS sha256 FROM checkpoints c "
    "CROSS JOIN LATERAL regexp_matches(c.files::text, '\"([0-9a-f]{64})\"', 'g') m "
    "WHERE c.trial_id IN (SELECT id FROM trials WHERE experiment_id = $1::bigint) "
    "AND ($2 = '' OR c.state = $2)"};
// Announced ones are in the inbox before their files are asked for.
constexpr Statement files_of_all{
    "files_of_all",
    "SELECT DISTINCT m[1] AS sha256 FROM ("
    "SELECT c.files::text AS said FROM checkpoints c WHERE c.state <> $2 AND c.trial_id NOT IN "
    "(SELECT id FROM trials WHERE experiment_id = $1::bigint) "
    "UNION ALL SELECT body::text FROM inbox WHERE kind = 'checkpoint') s "
    "CROSS JOIN LATERAL regexp_matches(s.said, '\"([0-9a-f]{64})\"', 'g') m"};

constexpr Statement not_tidied{"not_tidied",
                               "SELECT id FROM experiments WHERE terminal AND NOT tidied "
                               "AND state IN ('COMPLETED', 'CANCELED', 'ERROR') ORDER BY id"};
// With the searcher's metric at the checkpoint's step, as rank 0 reported it.
constexpr Statement stored_of_experiment{
    "stored_of_experiment",
    "SELECT c.id, c.trial_id, t.latest_checkpoint = c.id AS is_latest, "
    "EXISTS (SELECT 1 FROM trials o WHERE o.experiment_id = t.experiment_id AND o.id <> t.id "
    "AND o.latest_checkpoint = c.id) AS is_inherited, "
    "(SELECT p.value FROM metric_points p WHERE p.trial_id = c.trial_id AND p.rank = 0 "
    "AND p.metric_group = 'validation' AND p.name = e.searcher_metric AND p.step = c.step LIMIT 1) "
    "AS metric FROM checkpoints c JOIN trials t ON t.id = c.trial_id "
    "JOIN experiments e ON e.id = t.experiment_id WHERE e.id = $1::bigint AND c.state = $2 "
    "ORDER BY c.epoch, c.number, c.step, c.created_ms, c.id COLLATE \"C\""};

// In this order: each may refer to those after it. The large tables lose some thousand rows a call.
constexpr Statement pieces[] = {
    {"erase_points",
     "DELETE FROM metric_chunks WHERE id IN (SELECT c.id FROM metric_chunks c "
     "JOIN series s ON s.id = c.series_id JOIN trials t ON t.id = s.trial_id "
     "WHERE t.experiment_id = $1::bigint LIMIT 5000)"},
    {"erase_series",
     "DELETE FROM series WHERE id IN (SELECT s.id FROM series s JOIN trials t ON t.id = s.trial_id "
     "WHERE t.experiment_id = $1::bigint LIMIT 5000)"},
    {"erase_logs",
     "DELETE FROM log_chunks WHERE id IN (SELECT l.id FROM log_chunks l "
     "JOIN trials t ON t.id = l.trial_id WHERE t.experiment_id = $1::bigint LIMIT 1000)"},
    {"erase_log_positions",
     "DELETE FROM log_positions p USING trials t "
     "WHERE t.id = p.trial_id AND t.experiment_id = $1::bigint"},
    {"erase_attempts",
     "DELETE FROM attempts a USING trials t "
     "WHERE t.id = a.trial_id AND t.experiment_id = $1::bigint"},
    {"erase_records",
     "DELETE FROM records_other r USING allocations a WHERE r.epoch = a.epoch "
     "AND r.number = a.number AND a.experiment_id = $1::bigint"},
    {"erase_marks",
     "DELETE FROM marks m USING allocations a WHERE m.epoch = a.epoch "
     "AND m.number = a.number AND a.experiment_id = $1::bigint"},
    {"erase_checkpoints",
     "DELETE FROM checkpoints c USING trials t "
     "WHERE t.id = c.trial_id AND t.experiment_id = $1::bigint"},
    {"erase_allocations", "DELETE FROM allocations WHERE experiment_id = $1::bigint"},
    {"erase_trials", "DELETE FROM trials WHERE experiment_id = $1::bigint"},
    {"erase_events", "DELETE FROM searcher_events WHERE experiment_id = $1::bigint"},
    {"erase_snapshots", "DELETE FROM searcher_snapshots WHERE experiment_id = $1::bigint"},
    {"erase_provenance", "DELETE FROM experiment_provenance WHERE experiment_id = $1::bigint"},
};

constexpr const char* deleted_text = "DELETED";

std::set<std::string> hashes_of(const pqxx::result& rows) {
  std::set<std::string> hashes;
  for (const auto& row : rows) hashes.insert(text_in(row, "sha256"));
  return hashes;
}

}  // namespace

Result<std::vector<ExperimentId>> PostgresStore::deleting() {
  return pool_->transact([](Transaction& tx) -> Result<std::vector<ExperimentId>> {
    return rows_of(tx.run(being_deleted),
                   [](const pqxx::row& row) { return ExperimentId{integer_in(row, "id")}; });
  });
}

Result<std::set<std::string>> PostgresStore::files_of(ExperimentId experiment, Which checkpoints) {
  const std::string state = checkpoints == Which::all ? "" : deleted_text;
  return pool_->transact([&](Transaction& tx) -> Result<std::set<std::string>> {
    return hashes_of(tx.run(files_of_experiment, experiment.value, state));
  });
}

Result<std::set<std::string>> PostgresStore::files_in_use(ExperimentId but) {
  return pool_->transact([&](Transaction& tx) -> Result<std::set<std::string>> {
    return hashes_of(tx.run(files_of_all, but.value, std::string(deleted_text)));
  });
}

Result<std::vector<ExperimentId>> PostgresStore::untidy() {
  return pool_->transact([](Transaction& tx) -> Result<std::vector<ExperimentId>> {
    return rows_of(tx.run(not_tidied),
                   [](const pqxx::row& row) { return ExperimentId{integer_in(row, "id")}; });
  });
}

Result<std::vector<StoredCheckpoint>> PostgresStore::stored_checkpoints(ExperimentId experiment) {
  const std::string stored = core::to_text(core::CheckpointState::stored);
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<StoredCheckpoint>> {
    return rows_of(tx.run(stored_of_experiment, experiment.value, stored),
                   [](const pqxx::row& row) {
                     return StoredCheckpoint{.fact = {.id = {text_in(row, "id")},
                                                      .trial = {integer_in(row, "trial_id")},
                                                      .metric = optional_double_in(row, "metric")},
                                             .is_latest = bool_in(row, "is_latest"),
                                             .is_inherited = bool_in(row, "is_inherited")};
                   });
  });
}

Result<bool> PostgresStore::erase_rows(ExperimentId experiment) {
  return pool_->transact([&](Transaction& tx) -> Result<bool> {
    for (const Statement& piece : pieces) {
      if (tx.run(piece, experiment.value).affected_rows() > 0) return true;
    }
    return false;
  });
}

}  // namespace dt::master
