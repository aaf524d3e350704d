// What the scheduler of one pool sees and says. All of it is plain data: schedule() is a pure
// function of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace dt::core {

// One node of a pool. Slots are counted, not named: the master's state maps counts to slot ids.
struct AgentCapacity {
  AgentId id;
  int slots = 0;            // enabled slots; draining: as many as are used
  int used = 0;             // slots held by live allocations
  int max_zero_slot = 100;  // zero-slot tasks this node takes
  int zero_slot = 0;        // zero-slot tasks it holds
  int empty() const { return slots - used; }
  bool idle() const { return used == 0; }
  bool operator==(const AgentCapacity&) const = default;
};

struct Placement {  // whole gang, in rank order of nodes
  AgentId agent;
  int slots = 0;
  bool operator==(const Placement&) const = default;
};

struct SlotRequest {
  std::string id;   // unique; the last tie-break ("task1", or an allocation id)
  std::string job;  // requests of one job share priority and queue position
  int slots = 1;
  int priority = 42;          // 1 is first
  double queue_position = 0;  // smaller is earlier
  std::int64_t job_submitted = 0;
  std::int64_t requested = 0;  // a counter; later is larger
  bool preemptible = true;
  bool single_node = false;
  std::set<AgentId> blocked;      // nodes this request must not use
  std::vector<Placement> placed;  // empty: pending; else already allocated
  bool released = false;          // already asked to go
  bool operator==(const SlotRequest&) const = default;
};

enum class FitPolicy { best, worst };

struct PoolConfig {
  bool preemption = false;
  bool heterogeneous = false;
  FitPolicy fit = FitPolicy::best;
  bool operator==(const PoolConfig&) const = default;
};

struct PoolState {
  PoolConfig config;
  std::vector<AgentCapacity> agents;
  std::vector<SlotRequest> requests;  // pending and running
};

struct Scheduled {
  std::map<std::string, std::vector<Placement>> start;  // request id -> whole gang
  std::set<std::string> backfilled;                     // of those, which are
  std::set<std::string> release;                        // running requests to preempt
  std::map<std::string, std::string> reason;            // waiting request id -> why, in words
  bool operator==(const Scheduled&) const = default;
};

}  // namespace dt::core
