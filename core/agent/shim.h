// The shim's brain: the keeper of one allocation on one node. It decides when to prepare, spawn,
// acknowledge, signal and end; shim/ performs. Promises: a rank's message is acknowledged only
// after the spool that holds it was fsynced (P1); one rank that ends other than with 0 or 75 ends
// the others within a second (P3); at the lease's end, or at a kill, no process of the tree is
// left. Deterministic and total; times are CLOCK_BOOTTIME.
#pragma once

#include <deque>
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
  std::vector<int> ranks;       // global ranks of this node
  bool has_prepare = false;     // a command to run before ready
  bool binds_port = false;      // rank 0's node
  Duration peer_grace{500};     // SIGTERM to SIGKILL of the peers of a dead rank
  Duration kill_grace{10'000};  // SIGTERM to SIGKILL after stop, and after a lease's end
  std::string address;          // of this node, as rank 0's node tells it with the port
  bool operator==(const Options&) const = default;
};

// Events, past tense.
struct Opened {};  // the folder is locked, the spool open, `next_seq` known
struct PrepareEnded {
  int code = 0;
  std::string reason;
  bool infrastructure = false;  // it could not even be tried
};
struct PortBound {
  int port = 0;
};
struct PortFailed {
  std::string reason;
};
struct StartOrdered {
  Value environment;
};  // the environment record's body; null: none is made
struct PreemptOrdered {
  Duration left{0};
};
struct StopOrdered {};
struct KillOrdered {};
struct Interrupted {
  std::string reason;
};  // this node ends it, not the master: infrastructure
struct LeaseExtended {
  Time checkpoint_at = never;
  Time deadline = never;
};
struct RankSpawned {
  int rank = 0;
};
struct SpawnFailed {
  int rank = 0;
  std::string reason;
};
struct RankSaid {
  int rank = 0;
  std::int64_t rank_seq = 0;
  RecordKind kind = RecordKind::metrics;
  Value body;
};
struct RankConnected {
  int rank = 0;
  Value hello;
};  // after its hello {start_step?} was accepted
struct RankPrinted {
  int stream = 0;
  std::string output;
  std::string text;
};
// It was reaped, and what it said and printed before was told. A later word of it is dropped.
struct RankEnded {
  int rank = 0;
  int code = 0;
  int signal = 0;
  bool out_of_memory = false;
};
struct TreeEnded {};  // answers KillTree: no descendant is left
struct Synced {
  std::int64_t appended = 0;
};  // count of records that are on disk now
struct Woke {};
using Event =
    std::variant<Opened, PrepareEnded, PortBound, PortFailed, StartOrdered, PreemptOrdered,
                 StopOrdered, KillOrdered, Interrupted, LeaseExtended, RankSpawned, SpawnFailed,
                 RankSaid, RankConnected, RankPrinted, RankEnded, TreeEnded, Synced, Woke>;

// Actions, imperative.
struct RunPrepare {};
struct BindPort {};
struct SpawnRank {
  int rank = 0;
};
struct Append {
  Record record;
};               // time_ms is filled in by the shell
struct Sync {};  // group commit: the shell may delay it ≤ 50 ms, then says Synced
struct Acknowledge {
  int rank = 0;
  std::int64_t rank_seq = 0;
};
struct TellPreempt {
  int rank = 0;
  Duration left{0};
};
struct TellStop {
  int rank = 0;
};
struct SignalRank {
  int rank = 0;
  int signal = 0;
};
struct KillTree {};      // SIGKILL every descendant, daemons too; answers TreeEnded
struct ReportStatus {};  // status() changed: tell the agent, keep state.json
struct WakeAt {
  Time time;
};
struct Finish {};  // everything is on disk, no process is left: leave
using Action = std::variant<RunPrepare, BindPort, SpawnRank, Append, Sync, Acknowledge, TellPreempt,
                            TellStop, SignalRank, KillTree, ReportStatus, WakeAt, Finish>;
using Actions = std::vector<Action>;

inline constexpr int signal_kill = 9;
inline constexpr int signal_terminate = 15;

// A rank that dies of SIGTERM or SIGKILL, or exits 143 or 137, after an order counts as that order;
// so does 0 and 75 by itself. Everything else is a failure (DESIGN §6).
bool is_failure(const RankExit& exit);

class Brain {
 public:
  explicit Brain(Options options);

  Actions step(Time now, const Event& event);
  AllocationStatus status() const;
  // What a (re)connecting rank is told in welcome: everything up to here is safe.
  std::int64_t last_safe_rank_seq(int rank) const;

 private:
  enum class RankState { waiting, starting, running, ended };
  struct Rank {
    RankState state = RankState::waiting;
    bool spoke = false;             // said hello, so it can be asked instead of signalled
    std::int64_t accepted_seq = 0;  // its highest message that was appended
    std::int64_t safe_seq = 0;      // … and is on disk
  };
  struct Unsafe {  // a message that awaits the sync of its record
    std::int64_t appended = 0;
    int rank = 0;
    std::int64_t rank_seq = 0;
  };

  void on(Time now, const Opened& event, Actions& out);
  void on(Time now, const PrepareEnded& event, Actions& out);
  void on(Time now, const PortBound& event, Actions& out);
  void on(Time now, const PortFailed& event, Actions& out);
  void on(Time now, const StartOrdered& event, Actions& out);
  void on(Time now, const PreemptOrdered& event, Actions& out);
  void on(Time now, const StopOrdered& event, Actions& out);
  void on(Time now, const KillOrdered& event, Actions& out);
  void on(Time now, const Interrupted& event, Actions& out);
  void on(Time now, const LeaseExtended& event, Actions& out);
  void on(Time now, const RankSpawned& event, Actions& out);
  void on(Time now, const SpawnFailed& event, Actions& out);
  void on(Time now, const RankSaid& event, Actions& out);
  void on(Time now, const RankConnected& event, Actions& out);
  void on(Time now, const RankPrinted& event, Actions& out);
  void on(Time now, const RankEnded& event, Actions& out);
  void on(Time now, const TreeEnded& event, Actions& out);
  void on(Time now, const Synced& event, Actions& out);
  void on(Time now, const Woke& event, Actions& out);

  void prepared(Actions& out);
  void become_ready();
  void fail_before_start(const std::string& reason, bool infrastructure, Actions& out);
  bool end_if_not_started(const char* order, Actions& out);
  void preempt(Time now, Time deadline, Actions& out);
  void end_rank(Time now, const RankEnded& end, Actions& out);
  void end_peers(Time now, const RankExit& first, Actions& out);
  void run_timers(Time now, Actions& out);
  void ask_to_checkpoint(Time now, Actions& out);
  void end_lease(Time now, Actions& out);
  void name_reluctant(Actions& out);
  void kill_tree(Actions& out);
  void finish_if_done();
  void wake_when_due(Time now, Actions& out);

  bool is_alive(const Rank& rank) const;
  bool all_ended() const;
  Time next_due(Time now) const;
  void append(int stream, RecordKind kind, std::int64_t rank_seq, Value body, Actions& out);
  void note(const std::string& text, Actions& out);  // the shim's own word, on the node's stream
  void signal_alive(int signal, Actions& out);

  Options options_;
  bool opened_ = false;
  AllocationPhase phase_ = AllocationPhase::preparing;
  std::map<int, Rank> ranks_;
  std::vector<RankExit> exits_;  // in the order in which they ended
  int port_ = 0;
  std::string failure_;
  bool infrastructure_ = false;

  Order order_ = Order::run;  // the strongest so far: run < preempt < stop < kill
  Time preempt_deadline_ = never;
  Time checkpoint_at_ = never;  // of the lease
  Time lease_deadline_ = never;
  bool lease_ended_ = false;
  Time kill_at_ = never;      // the whole tree
  bool peers_ended_ = false;  // a rank failed and the others were told
  bool killing_ = false;      // KillTree is out
  bool tree_ended_ = false;
  bool finished_ = false;

  std::map<int, std::int64_t> last_seq_;  // by stream
  std::int64_t appended_ = 0;
  std::int64_t synced_ = 0;
  std::deque<Unsafe> unsafe_;  // in order
  Time announced_wake_ = never;
  bool sync_due_ = false;    // within one step
  bool status_due_ = false;  // within one step
};

}  // namespace dt::core::shim
