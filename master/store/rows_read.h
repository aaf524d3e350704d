// Reads rows back: a list of columns for each kind (the front of a Statement) and the function that
// makes the row of them. Throw libpqxx's exceptions; for use inside a transaction's work only.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "core/master/rows.h"

namespace dt::master {

inline constexpr const char* select_experiments =
    "SELECT id, owner, name, state, config, config_text, context, priority, created_ms, ended_ms, "
    "progress, searcher_events, searcher_done, best_trial, best_metric, message, "
    "forked_from, archived, notes, tidied, queued_ms FROM experiments ";
// For lists: of the configuration only what they show.
inline constexpr const char* select_experiments_shown =
    "SELECT id, owner, name, state, coalesce(shown, config) AS config, '' AS config_text, context, "
    "priority, created_ms, ended_ms, "
    "progress, searcher_events, searcher_done, best_trial, best_metric, message, "
    "forked_from, archived, notes, tidied, queued_ms FROM experiments ";
inline constexpr const char* select_trials =
    "SELECT id, experiment_id, number, request_id, seed, hparams, state, attempts, restarts, "
    "stopped_by_searcher, exit_told, latest_checkpoint, latest_step, latest_metric, best_metric, "
    "best_step, progress, created_ms, ended_ms, message, excluded_agents, log_policy, "
    "retries_canceled FROM trials ";
inline constexpr const char* select_allocations =
    "SELECT epoch, number, trial_id, experiment_id, attempt, size, state, nodes, resumed_from, "
    "last_order, preempt_deadline_ms, created_ms, started_ms, ended_ms, outcome FROM allocations ";
inline constexpr const char* select_checkpoints =
    "SELECT id, trial_id, epoch, number, step, parts, parts_announced, parts_stored, files, state, "
    "metadata, created_ms FROM checkpoints ";
inline constexpr const char* select_agents =
    "SELECT id, machine_id, boot_id, name, address, pool, slots, version, session, connected, "
    "forgotten, joined_ms, state, disabled_slots FROM agents ";
inline constexpr const char* select_changes =
    "SELECT sequence, kind, thing_id, experiment_id FROM changes ";
inline constexpr const char* select_inbox =
    "SELECT id, epoch, number, coalesce((SELECT a.trial_id FROM allocations a "
    "WHERE a.epoch = inbox.epoch AND a.number = inbox.number), 0) AS trial_id, stream, seq, kind, "
    "part_stored, body FROM inbox ";
inline constexpr const char* select_requests =
    "SELECT request_id, user_name, request_digest, response, created_ms FROM requests ";
inline constexpr const char* select_events =
    "SELECT experiment_id, number, event FROM searcher_events ";
inline constexpr const char* select_snapshots =
    "SELECT experiment_id, number, snapshot FROM searcher_snapshots ";

core::ExperimentRow experiment_row(const pqxx::row& row);
core::TrialRow trial_row(const pqxx::row& row);
core::AllocationRow allocation_row(const pqxx::row& row);
core::CheckpointRow checkpoint_row(const pqxx::row& row);
core::AgentRow agent_row(const pqxx::row& row);
core::ChangeRow change_row(const pqxx::row& row);
core::InboxRow inbox_row(const pqxx::row& row);
core::RequestRow request_row(const pqxx::row& row);
core::SearcherEventRow event_row(const pqxx::row& row);
core::SearcherSnapshotRow snapshot_row(const pqxx::row& row);

template <class Convert>
auto rows_of(const pqxx::result& rows, Convert convert) {
  std::vector<decltype(convert(rows[0]))> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back(convert(row));
  return out;
}

// One column of a row.
std::int64_t integer_in(const pqxx::row& row, const char* column);
int int_in(const pqxx::row& row, const char* column);
bool bool_in(const pqxx::row& row, const char* column);
std::string text_in(const pqxx::row& row, const char* column);
double double_in(const pqxx::row& row, const char* column);
std::optional<double> optional_double_in(const pqxx::row& row, const char* column);
std::optional<std::int64_t> optional_integer_in(const pqxx::row& row, const char* column);
AllocationId allocation_id_in(const pqxx::row& row);  // epoch, number

}  // namespace dt::master
