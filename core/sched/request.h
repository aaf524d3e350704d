// What the scheduler of one pool sees and says. All of it is plain data: schedule() is a pure
// function of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace dt::core {

// draining: what runs may end, nothing comes.
enum class AgentState { enabled, draining, disabled };
const char* to_text(AgentState state);

// One node of a pool. Slots are counted, not named: the master's state maps counts to slot ids.
struct AgentCapacity {
  AgentId id;
  int slots = 0;            // enabled slots
  int used = 0;             // slots held by live allocations, in whole or in part
  int max_zero_slot = 100;  // zero-slot tasks this node takes
  int zero_slot = 0;        // zero-slot tasks it holds
  AgentState state = AgentState::enabled;
  std::string model;        // of its slots ("A100"); empty: not known
  std::vector<int> shared;  // of each used slot that is held in parts, the thousandths still free
  int cpu_milli = 0;        // free; looked at only for requests that ask for some
  int memory_mib = 0;       // free; the same
  std::uint64_t hash = 0;   // hash_of(id) where the caller keeps it; 0: it is computed
  int empty() const { return slots - used; }
  bool idle() const { return used == 0; }
  bool operator==(const AgentCapacity&) const = default;
};

inline constexpr int whole_slot = 1000;

struct Placement {  // whole gang, in rank order of nodes
  AgentId agent;
  int slots = 0;
  int slot_milli = whole_slot;  // less: a part of one slot
  int shared = -1;  // then the index in AgentCapacity::shared; its end: a slot that was wholly free
  bool operator==(const Placement&) const = default;
};

struct SlotRequest {
  std::string id;   // unique; the last tie-break ("task1", or an allocation id)
  std::string job;  // requests of one job share priority and queue position
  int slots = 1;
  int slot_milli = whole_slot;      // less: a part of one slot, and slots is 1
  int cpu_milli = 0;                // on each node it uses
  int memory_mib = 0;               // on each node it uses
  std::vector<std::string> models;  // that its slots may be of; empty: any
  int priority = 42;                // 1 is first
  double queue_position = 0;        // smaller is earlier
  std::int64_t job_submitted = 0;
  std::int64_t requested = 0;  // a counter; later is larger
  bool preemptible = true;
  bool single_node = false;
  std::set<AgentId> blocked;      // nodes this request must not use
  std::vector<Placement> placed;  // empty: pending; else already allocated
  bool released = false;          // already asked to go
  bool backfilled = false;        // started ahead of its turn

  // What backfill and attained service look at.
  Time since{};                           // of its present run, or of its present wait
  Duration waited{};                      // running: how long it had waited before this run
  Duration attained{};                    // in earlier runs
  std::optional<Duration> expected = {};  // how long it still needs to run, if the user said so
  bool operator==(const SlotRequest&) const = default;
};

enum class SchedulerKind { priority, fair_share, fifo, backfill, attained };
enum class FitPolicy { best, worst, random, fgd, fragmentation };

// Attained service (core/sched/attained.h): no knowledge of run times is needed.
struct AttainedOptions {
  // A job sinks a level when it has had so much service, in hours of the whole pool: a sixteenth is
  // 8 slot hours where there are 128 slots.
  std::vector<double> level_pool_hours = {0.0625};
  Duration promote_after{168 * 3'600'000};  // a wait this long lifts it to the first; 0: never
  Duration min_run{};                       // before this a run is not preempted
  bool operator==(const AttainedOptions&) const = default;
};

struct PoolConfig {
  SchedulerKind scheduler = SchedulerKind::priority;
  bool preemption = false;  // priority: may running requests be asked to go?
  bool heterogeneous = false;
  FitPolicy fit = FitPolicy::best;
  std::uint64_t seed = 0;  // of the random fit
  AttainedOptions attained;
  bool operator==(const PoolConfig&) const = default;
};

struct JobShare {  // fair share
  double weight = 1;
  std::optional<int> max_slots;
  bool operator==(const JobShare&) const = default;
};

struct PoolState {
  PoolConfig config;
  std::vector<AgentCapacity> agents;
  std::vector<SlotRequest> requests;     // pending and running
  std::map<std::string, JobShare> jobs;  // those that are not {}
  Time now{};
};

// Requests are named by their index in PoolState::requests.
struct Scheduled {
  struct Start {
    std::size_t request = 0;
    std::vector<Placement> placements;  // the whole gang
    bool backfilled = false;
  };
  struct Waiting {
    std::size_t request = 0;
    std::size_t reason = 0;  // of reasons
  };
  std::vector<Start> start;          // in the order in which they were placed
  std::vector<std::size_t> release;  // running requests to preempt
  std::vector<Waiting> waiting;      // in no promised order; serving_order() ranks
  std::vector<std::string> reasons;  // why a request waits, in words; many share one
  Time look_again = never;           // when time alone may change the answer
};

}  // namespace dt::core
