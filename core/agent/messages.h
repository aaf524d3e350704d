// What master and agents tell each other, as both brains see it (proto/dovetail/v1/agent.proto is
// its wire form). All of it is level-triggered: a heartbeat lists everything the agent holds, an
// answer lists everything the master wants of it, and nothing is said only once (DESIGN §4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/agent/record.h"

namespace dt::core {

enum class SlotKind { cpu, cuda };
const char* to_text(SlotKind kind);
bool parse_slot_kind(const std::string& text, SlotKind& kind);

struct Slot {
  std::string id;  // "cpu0", a GPU's uuid
  SlotKind kind = SlotKind::cpu;
  std::string device;  // "CPU share", "NVIDIA H200"
  std::string fault;   // why nothing may be placed on it; empty: it is well
  bool operator==(const Slot&) const = default;
};

struct SlotFault {
  std::string slot;  // its id
  std::string reason;
  bool operator==(const SlotFault&) const = default;
};

struct CheckpointFile {
  std::string path;  // relative to the checkpoint's folder
  std::int64_t bytes = 0;
  std::string sha256;
  bool operator==(const CheckpointFile&) const = default;
};

struct CheckpointSource {  // where an attempt resumes
  CheckpointId id;
  std::int64_t step = 0;
  std::vector<CheckpointFile> files;
  bool operator==(const CheckpointSource&) const = default;
};

// One node's share of an attempt: all that is needed to prepare it.
struct Assignment {
  ExperimentId experiment;
  TrialId trial;
  int attempt = 1;   // counts every run
  int restarts = 0;  // counts those that a failure cost
  std::uint32_t trial_seed = 0;
  Value hparams;
  Value config;         // resolved; DT_CONFIG
  ContextHash context;  // none: no files
  std::optional<CheckpointSource> checkpoint;
  int node_rank = 0;
  int nodes = 1;
  int first_rank = 0;
  int size = 1;                       // ranks of the whole gang
  std::vector<std::string> slot_ids;  // of this node; one rank each (none: one rank without a slot)
  bool operator==(const Assignment&) const = default;
};

struct RankPlace {
  int rank = 0;
  int node_rank = 0;
  int local_rank = 0;
  std::string address;  // of its node
  bool operator==(const RankPlace&) const = default;
};

struct RankTable {
  std::string master_address;  // rank 0's node
  int master_port = 0;
  std::vector<RankPlace> ranks;  // sorted by rank
  bool operator==(const RankTable&) const = default;
};

enum class Order { prepare, start, run, preempt, stop, kill };
const char* to_text(Order order);
bool parse_order(const std::string& text, Order& order);

struct Wanted {
  AllocationId allocation;
  Order order = Order::prepare;
  std::optional<Assignment> assignment;  // with prepare
  std::optional<RankTable> table;        // with start
  Duration preempt_left{0};              // with preempt
  bool operator==(const Wanted&) const = default;
};

enum class AllocationPhase { preparing, ready, running, ended, lost };
const char* to_text(AllocationPhase phase);
bool parse_phase(const std::string& text, AllocationPhase& phase);

struct RankExit {
  int rank = 0;
  int code = 0;  // exit code; 128 + signal when a signal ended it
  int signal = 0;
  Order ordered = Order::run;  // preempt, stop or kill if it had been told to end so
  std::int64_t seq = 0;        // of its exit record
  bool out_of_memory = false;  // the kernel killed it for want of memory
  bool operator==(const RankExit&) const = default;
};

// As shims tell it and rows keep it; reading fails on what is no exit.
Value to_value(const RankExit& exit);
bool exit_from(const Value& value, RankExit& exit);

// What an agent says of one allocation. `ended`: no process of it is left, its slots are free.
// `lost`: its shim died; the spool that is left has been relayed.
struct AllocationStatus {
  AllocationId allocation;
  AllocationPhase phase = AllocationPhase::preparing;
  std::string address;  // with ready, from node_rank 0: what ranks connect to
  int port = 0;
  std::vector<RankExit> exits;
  // Why it ended before its ranks ran; infrastructure does not count as a restart of the trial.
  std::string failure;
  bool infrastructure = false;
  bool operator==(const AllocationStatus&) const = default;
};

// As the shim tells it to the agent and keeps it in state.json. Unknown members are ignored;
// reading fails on what is no status.
Value to_value(const AllocationStatus& status);
bool status_from(const Value& value, AllocationStatus& status);

bool parse_allocation_id(const std::string& text, AllocationId& id);  // "1.7"

struct AgentHello {
  AgentId agent;
  std::string machine_id;
  std::string boot_id;
  std::string name;     // host name, for people
  std::string address;  // where ranks of other nodes reach this node
  std::string pool;
  std::vector<Slot> slots;
  std::string version;
  std::string cluster_id;  // empty: never joined
  std::int64_t cluster_epoch = 0;
  std::int64_t batch_seen = 0;  // highest batch number heard (Identity)
  std::vector<AllocationStatus> allocations;
  bool operator==(const AgentHello&) const = default;
};

struct Heartbeat {
  AgentId agent;
  std::int64_t session = 0;
  std::int64_t number = 0;  // rises; the answer names it, so the lease counts from its sending
  std::int64_t batch_seen = 0;
  std::vector<AllocationStatus> allocations;
  std::vector<SlotFault> slot_faults;  // of all slots that have one
  bool leaving = false;  // orderly shutdown: everything it held has ended
  bool operator==(const Heartbeat&) const = default;
};

struct Answer {
  std::int64_t heartbeat = 0;  // 0: pushed at a change; it extends no lease
  std::string cluster_id;
  std::int64_t cluster_epoch = 0;
  std::int64_t batch = 0;
  std::int64_t session = 0;
  Duration lease{0};  // 0: never
  std::vector<Wanted> wanted;
  bool operator==(const Answer&) const = default;
};

}  // namespace dt::core
