// The master's durable state as rows: what a batch writes and what recover() reads. A row is the
// whole current truth of its thing and is upserted by its key; searcher events only append. The
// store maps these one to one to tables (sql/0001_init.sql); the simulator keeps them in maps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/shared_value.h"
#include "base/value.h"
#include "core/agent/messages.h"
#include "core/sched/request.h"

namespace dt::core {

enum class ExperimentState {
  active, paused, stopping_canceled, stopping_killed, stopping_completed, stopping_error,
  canceled, completed, error, deleting, delete_failed, deleted,
};
enum class TrialState {
  active, paused, stopping_canceled, stopping_killed, stopping_completed, stopping_error,
  canceled, completed, error,
};
const char* to_text(ExperimentState state);  // "ACTIVE", "STOPPING_CANCELED", …
const char* to_text(TrialState state);
bool is_terminal(ExperimentState state);  // nothing of it runs any more
bool is_terminal(TrialState state);
bool is_deleting(ExperimentState state);  // it is on its way out of the store, or was

struct ExperimentRow {  // key: id
  ExperimentId id;
  std::string owner;
  std::string name;
  ExperimentState state = ExperimentState::active;
  SharedValue config;        // resolved
  std::string config_text;   // as submitted
  ContextHash context;
  int priority = 42;
  std::int64_t created_ms = 0;
  std::int64_t ended_ms = 0;  // 0: not yet
  double progress = 0;
  std::int64_t searcher_events = 0;  // how many are appended
  bool searcher_done = false;        // Shutdown was heard
  TrialId best_trial;                // by the searcher metric
  std::optional<double> best_metric;
  std::string message;  // why it ended as it did, for people
  ExperimentId forked_from;
  bool archived = false;  // lists leave it out
  std::string notes;      // people's own
  bool tidied = false;  // ended, and checkpoints that its policy does not keep are gone
  std::int64_t queued_ms = 0;  // its turn in the queue; a continued one begins anew
  bool operator==(const ExperimentRow&) const = default;
};

struct TrialRow {  // key: id
  TrialId id;
  ExperimentId experiment;
  int number = 0;  // the searcher's
  std::string request_id;
  std::uint32_t seed = 0;
  SharedValue hparams;
  TrialState state = TrialState::active;
  int attempts = 0;  // allocations so far
  int restarts = 0;
  bool stopped_by_searcher = false;
  bool exit_told = false;  // the searcher heard trial_exited
  CheckpointId latest_checkpoint;
  std::int64_t latest_step = 0;  // of the last judged validation
  std::optional<double> latest_metric;
  std::optional<double> best_metric;
  std::int64_t best_step = 0;
  double progress = 0;
  std::int64_t created_ms = 0;
  std::int64_t ended_ms = 0;
  std::string message;
  std::vector<AgentId> excluded_agents;  // by a log policy: no attempt goes there any more
  std::string log_policy;  // the last one that matched its output
  bool retries_canceled = false;  // by a log policy
  bool operator==(const TrialRow&) const = default;
};

enum class AllocationState { preparing, starting, running, settling, ended };
const char* to_text(AllocationState state);

struct AllocationNode {
  AgentId agent;
  int node_rank = 0;
  int first_rank = 0;
  std::vector<std::string> slot_ids;
  AllocationPhase phase = AllocationPhase::preparing;
  std::string address;
  int port = 0;
  std::vector<RankExit> exits;   // as heartbeats told: they free slots
  std::vector<int> exits_read;   // ranks whose exit record was consumed: they decide
  std::string failure;
  bool infrastructure = false;
  bool released = false;  // its slots are free
  bool given_up = false;  // its agent is lost or forgotten
  bool operator==(const AllocationNode&) const = default;
};

struct AllocationRow {  // key: id
  AllocationId id;
  TrialId trial;
  ExperimentId experiment;
  int attempt = 1;
  int size = 1;
  AllocationState state = AllocationState::preparing;
  std::vector<AllocationNode> nodes;
  CheckpointId resumed_from;
  Order order = Order::prepare;        // the last one given
  std::int64_t preempt_deadline_ms = 0;  // with preempt
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  std::string outcome;  // "completed", "preempted", "failed: rank 1 exited with 3", …
  bool operator==(const AllocationRow&) const = default;
};

enum class CheckpointState { pending, stored, deleted, abandoned };
const char* to_text(CheckpointState state);

struct CheckpointRow {  // key: id
  CheckpointId id;
  TrialId trial;
  AllocationId allocation;
  std::int64_t step = 0;
  int parts = 1;
  std::vector<int> parts_announced;
  std::vector<int> parts_stored;
  std::vector<CheckpointFile> files;  // of all announced parts
  CheckpointState state = CheckpointState::pending;
  Value metadata;
  std::int64_t created_ms = 0;
  bool operator==(const CheckpointRow&) const = default;
};

struct AgentRow {  // key: id
  AgentId id;
  std::string machine_id;
  std::string boot_id;
  std::string name;
  std::string address;
  std::string pool;
  std::vector<Slot> slots;
  std::string version;
  std::int64_t session = 0;  // the last one granted
  bool connected = false;
  bool forgotten = false;
  std::int64_t joined_ms = 0;
  AgentState state = AgentState::enabled;   // as people ordered
  std::vector<std::string> disabled_slots;  // by people; sorted
  bool operator==(const AgentRow&) const = default;
};

struct SearcherEventRow {  // key: experiment, number; append only
  ExperimentId experiment;
  std::int64_t number = 0;  // from 1
  Value event;  // {"event": "validation", "trial": 3, "metric": 0.5, "time": 10, …}
  bool operator==(const SearcherEventRow&) const = default;
};

struct SearcherSnapshotRow {  // key: experiment
  ExperimentId experiment;
  std::int64_t number = 0;  // the last event it contains
  Value snapshot;
  bool operator==(const SearcherSnapshotRow&) const = default;
};

// What the submitting client said of the code; written once, so not part of the experiment's row.
struct ProvenanceRow {  // key: experiment; append only
  ExperimentId experiment;
  Value provenance;
  bool operator==(const ProvenanceRow&) const = default;
};

struct RequestRow {  // key: request_id
  std::string request_id;
  std::string user;
  std::string request_digest;  // a repeat must ask the same
  Value response;  // {"ok": …} or {"code": …, "message": …}
  std::int64_t created_ms = 0;
  bool operator==(const RequestRow&) const = default;
};

// A record that a decision needs; stored by ingest, consumed by the loop (DESIGN §4, Inbox).
struct InboxRow {  // key: id, given by the store in the order of storing
  InboxId id;
  AllocationId allocation;
  TrialId trial;  // the allocation's, which may have ended long ago
  int stream = 0;
  std::int64_t seq = 0;
  RecordKind kind = RecordKind::metrics;  // metrics, checkpoint, progress, early_exit, exit
  bool part_stored = false;  // with checkpoint: not announced, but stored by the agent's upload
  Value body;
  bool operator==(const InboxRow&) const = default;
};

// One change that Watch tells; the sequence is the loop's alone.
struct ChangeRow {  // key: sequence
  std::int64_t sequence = 0;
  std::string kind;  // "experiment", "trial", "allocation", "checkpoint", "agent"
  std::string id;
  ExperimentId experiment;
  bool operator==(const ChangeRow&) const = default;
};

// Counters and identity; one row.
struct ClusterRow {
  std::string cluster_id;
  std::int64_t cluster_epoch = 1;
  std::int64_t last_experiment = 0;
  std::int64_t last_trial = 0;
  std::int64_t last_allocation = 0;
  std::int64_t last_session = 0;
  std::int64_t last_change = 0;
  bool operator==(const ClusterRow&) const = default;
};

struct Writes {
  std::vector<ExperimentRow> experiments;
  std::vector<TrialRow> trials;
  std::vector<AllocationRow> allocations;
  std::vector<CheckpointRow> checkpoints;
  std::vector<AgentRow> agents;
  std::vector<SearcherEventRow> searcher_events;
  std::vector<SearcherSnapshotRow> searcher_snapshots;
  std::vector<ProvenanceRow> provenances;
  std::vector<RequestRow> requests;
  std::vector<ChangeRow> changes;
  std::vector<InboxId> consumed;
  std::vector<CheckpointId> deleted_checkpoints;  // stored ones: their rows stay and say so
  std::vector<ExperimentId> erased;  // all else of them is gone; their rows go last
  std::optional<ClusterRow> cluster;
  bool empty() const;
  bool operator==(const Writes&) const = default;
};

// What recover() starts from: everything that is not over, and what is needed to go on with it.
struct Recovered {
  ClusterRow cluster;
  std::vector<ExperimentRow> experiments;  // not terminal
  std::vector<TrialRow> trials;            // of those
  std::vector<AllocationRow> allocations;  // not ended, of any trial
  // Of those trials: pending, abandoned, some trial's latest, or what an allocation of these that
  // still prepares resumes from.
  std::vector<CheckpointRow> checkpoints;
  std::vector<AgentRow> agents;            // not forgotten
  std::vector<SearcherSnapshotRow> searcher_snapshots;
  std::vector<SearcherEventRow> searcher_events;  // after the snapshot
  std::vector<RequestRow> requests;  // of the last 24 h
  std::vector<InboxRow> inbox;       // in order of id
  bool operator==(const Recovered&) const = default;
};

// The latest moment that a row has seen; a master's clock goes on from there.
Time latest_time(const Recovered& recovered);

}  // namespace dt::core
