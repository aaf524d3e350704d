// The shim's brain: the keeper of one allocation on one node. It decides when to prepare, spawn,
// acknowledge, signal and end; shim/ performs. Promises: a rank's message is acknowledged only after
// the spool that holds it was fsynced (P1); one rank that ends other than with 0 or 75 ends the
// others within a second (P3); at the lease's end, or at a kill, no process of the tree is left.
// Deterministic and total; times are CLOCK_BOOTTIME.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "base/time.h"
#include "core/agent/messages.h"
#include "core/agent/record.h"

namespace dt::core::shim {

struct Options {
  AllocationId allocation;
  int node_rank = 0;
  std::vector<int> ranks;      // global ranks of this node
  bool has_prepare = false;    // a command to run before ready
  bool binds_port = false;     // rank 0's node
  Duration peer_grace{500};    // SIGTERM to SIGKILL of the peers of a dead rank
  Duration kill_grace{10'000}; // SIGTERM to SIGKILL after stop, and after a lease's end
  bool operator==(const Options&) const = default;
};

// Events, past tense.
struct Opened {};  // the folder is locked, the spool open, `next_seq` known
struct PrepareEnded { int code = 0; std::string reason; };
struct PortBound { int port = 0; };
struct PortFailed { std::string reason; };
struct StartOrdered {};
struct PreemptOrdered { Duration left{0}; };
struct StopOrdered {};
struct KillOrdered {};
struct LeaseExtended { Time checkpoint_at = never; Time deadline = never; };
struct RankSpawned { int rank = 0; };
struct SpawnFailed { int rank = 0; std::string reason; };
struct RankSaid { int rank = 0; std::int64_t rank_seq = 0; RecordKind kind = RecordKind::metrics; Value body; };
struct RankConnected { int rank = 0; };  // after its hello was accepted
struct RankPrinted { int stream = 0; std::string output; std::string text; };
struct RankEnded { int rank = 0; int code = 0; int signal = 0; };
struct TreeEnded {};                      // no descendant is left
struct Synced { std::int64_t appended = 0; };  // count of records that are on disk now
struct Woke {};
using Event = std::variant<Opened, PrepareEnded, PortBound, PortFailed, StartOrdered, PreemptOrdered,
                           StopOrdered, KillOrdered, LeaseExtended, RankSpawned, SpawnFailed, RankSaid,
                           RankConnected, RankPrinted, RankEnded, TreeEnded, Synced, Woke>;

// Actions, imperative.
struct RunPrepare {};
struct BindPort {};
struct SpawnRank { int rank = 0; };
struct Append { Record record; };   // time_ms is filled in by the shell
struct Sync {};                     // group commit: the shell may delay it ≤ 50 ms, then says Synced
struct Acknowledge { int rank = 0; std::int64_t rank_seq = 0; };
struct TellPreempt { int rank = 0; Duration left{0}; };
struct TellStop { int rank = 0; };
struct SignalRank { int rank = 0; int signal = 0; };
struct KillTree {};                 // SIGKILL every descendant, daemons too; answers TreeEnded
struct ReportStatus {};             // status() changed: tell the agent, keep state.json
struct WakeAt { Time time; };
struct Finish {};                   // everything is on disk, no process is left: leave
using Action = std::variant<RunPrepare, BindPort, SpawnRank, Append, Sync, Acknowledge, TellPreempt,
                            TellStop, SignalRank, KillTree, ReportStatus, WakeAt, Finish>;
using Actions = std::vector<Action>;

class Brain {
 public:
  // `last_rank_seq`: per rank, the highest message already in the spool.
  explicit Brain(Options options) : options_(std::move(options)) {}

  Actions step(Time now, const Event& event);
  AllocationStatus status() const;
  // What a (re)connecting rank is told in welcome: everything up to here is safe.
  std::int64_t last_safe_rank_seq(int rank) const;

 private:
  struct Rank;
  Options options_;
  // The rest of the state is the implementer's: plain members, no pointers.
};

}  // namespace dt::core::shim
