// The agent's brain: makes this node's allocations follow the master's wanted set, relays their
// spools, keeps the lease. What it holds and the set lacks is killed; it obeys no master of another
// cluster id or a lower epoch (DESIGN §4). It survives its own death by Reattached events: shims
// and spools outlive it. Deterministic and total; times are CLOCK_BOOTTIME.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "base/time.h"
#include "core/agent/lease.h"
#include "core/agent/messages.h"
#include "core/agent/outbox.h"
#include "core/agent/record.h"

namespace dt::core::relay {

struct Options {
  AgentId agent;
  std::string cluster_id;  // joined before; empty: the first master is taken
  std::int64_t cluster_epoch = 0;
  std::int64_t batch_seen = 0;
  Duration keep_acknowledged{600'000};  // spools are kept this long after their last ack
  Duration retry{1'000};                // of fetches and uploads that failed by the network
  bool operator==(const Options&) const = default;
};

// Events.
struct Connected {};  // the link is open; the shell sent AgentHello
struct Disconnected {};
struct Answered {
  Answer answer;
};
struct Refused {
  std::string reason;
};  // another machine holds this agent id, and the like
struct Reattached {
  AllocationStatus status;
  Marks acknowledged;
};  // at start, one a folder
struct Prepared {
  AllocationId allocation;
};  // context, checkpoint and folder are there
struct PrepareFailed {
  AllocationId allocation;
  std::string reason;
  bool infrastructure = true;
};
// On every change and after every sync; `first`: after connecting, so orders are told again.
struct ShimSaid {
  AllocationStatus status;
  std::int64_t spooled = 0;
  bool first = false;
};
struct ShimGone {
  AllocationId allocation;
};  // its lock is free before it said ended
struct RemainsCleared {
  AllocationId allocation;
};  // no process of its tree is left
struct SpoolRead {
  AllocationId allocation;
  std::vector<Record> records;
  bool at_end = true;
};
struct Acknowledged {
  AllocationId allocation;
  Marks marks;
};  // the master stored up to here
struct MarksNamed {
  AllocationId allocation;
  Marks marks;
};  // after a new link: resend from here
struct SendFailed {
  AllocationId allocation;
};
struct PartStored {
  AllocationId allocation;
  CheckpointId checkpoint;
  int part = 0;
};
struct PartFailed {
  AllocationId allocation;
  CheckpointId checkpoint;
  int part = 0;
  std::string reason;
  bool retry = true;
};
struct SlotsChecked {
  std::vector<SlotFault> faults;
};  // all that there are now, by slot id
struct ShutdownOrdered {};
struct Woke {};
using Event =
    std::variant<Connected, Disconnected, Answered, Refused, Reattached, Prepared, PrepareFailed,
                 ShimSaid, ShimGone, RemainsCleared, SpoolRead, Acknowledged, MarksNamed,
                 SendFailed, PartStored, PartFailed, SlotsChecked, ShutdownOrdered, Woke>;

// Actions.
struct SendHeartbeat {
  Heartbeat heartbeat;
};
struct Remember {
  std::string cluster_id;
  std::int64_t cluster_epoch = 0;
  std::int64_t batch_seen = 0;
};
struct Prepare {
  AllocationId allocation;
  Assignment assignment;
};  // fetch, then launch the shim
struct StartRanks {
  AllocationId allocation;
  RankTable table;
};
// preempt, stop or kill; repeated while it is wanted. A kill also ends a Prepare that still
// fetches.
struct TellShim {
  AllocationId allocation;
  Order order = Order::run;
  Duration left{0};
};
struct ExtendLease {
  AllocationId allocation;
  Time checkpoint_at = never;
  Time deadline = never;
};
struct ClearRemains {
  AllocationId allocation;
};  // the shim died: kill what is left, say RemainsCleared
struct ReadSpool {
  AllocationId allocation;
  Marks from;
};  // answers SpoolRead, in file order
struct SendRecords {
  AllocationId allocation;
  std::vector<Record> records;
};
struct UploadPart {
  AllocationId allocation;
  CheckpointId checkpoint;
  int part = 0;
  std::vector<CheckpointFile> files;
};
struct RemoveFolder {
  AllocationId allocation;
};
struct WakeAt {
  Time time;
};
struct Leave {};  // shutdown is complete
using Action =
    std::variant<SendHeartbeat, Remember, Prepare, StartRanks, TellShim, ExtendLease, ClearRemains,
                 ReadSpool, SendRecords, UploadPart, RemoveFolder, WakeAt, Leave>;
using Actions = std::vector<Action>;

class Brain {
 public:
  explicit Brain(Options options) : options_(std::move(options)) {}

  Actions step(Time now, const Event& event);
  std::vector<AllocationStatus> allocations() const;  // for AgentHello, sorted by id
  const std::vector<SlotFault>& slot_faults() const { return slot_faults_; }  // for AgentHello
  // What the master holds of an allocation's spool, or null; kept by the shell for Reattached.
  const Marks* marks(const AllocationId& allocation) const;
  const Options& options() const { return options_; }  // the cluster joined, the batch seen
  const Lease& lease() const { return lease_; }

 private:
  enum class Stage {
    fetching,  // Prepare is out
    living,    // its shim keeps it
    clearing,  // its shim died, remains are being killed
    draining,  // nothing is left of it but a spool: it is lost when the master has that
    over,      // ended or lost
  };
  struct Held {
    AllocationStatus status;
    Stage stage = Stage::living;
    Order order = Order::run;
    std::optional<RankTable> table;  // with start
    Time preempt_deadline = never;
    bool wanted = true;  // the last answer named it
    bool has_folder = true;
    Time told_deadline = Time::min();  // of the lease; min: nothing yet
    Outbox outbox;
  };

  void on(const Connected&);
  void on(const Disconnected&);
  void on(const Answered& event);
  void on(const Refused&);
  void on(const Reattached& event);
  void on(const Prepared& event);
  void on(const PrepareFailed& event);
  void on(const ShimSaid& event);
  void on(const ShimGone& event);
  void on(const RemainsCleared& event);
  void on(const SpoolRead& event);
  void on(const Acknowledged& event);
  void on(const MarksNamed& event);
  void on(const SendFailed& event);
  void on(const PartStored& event);
  void on(const PartFailed& event);
  void on(const SlotsChecked& event);
  void on(const ShutdownOrdered&);
  void on(const Woke&);

  bool is_from_our_cluster(const Answer& answer) const;
  void remember(const Answer& answer);
  void follow(const Answer& answer);
  void want(const Wanted& wanted);
  void tell(Held& held);
  void extend_lease(Held& held);
  void disconnect();
  void look_at_held();
  void relay(Held& held);
  bool is_settled(const Held& held) const;
  Time next_look(const Held& held) const;
  void speak();
  void shut_down();
  void arm();
  Held* find(const AllocationId& allocation);
  Held& hold(Held held);
  void say(Action action) { actions_.push_back(std::move(action)); }

  Options options_;
  std::map<AllocationId, Held> held_;
  Lease lease_;
  bool connected_ = false;
  bool obeying_ = false;  // this link's master is ours
  std::int64_t session_ = 0;
  std::int64_t heartbeats_ = 0;
  Time next_heartbeat_ = Time::min();
  std::vector<SlotFault> slot_faults_;
  std::vector<AllocationStatus> told_;  // by the last heartbeat
  std::vector<SlotFault> told_faults_;
  Time armed_ = never;
  bool shutting_down_ = false;
  bool left_ = false;
  Time shutdown_deadline_ = never;
  // Of the step that runs.
  Time now_ = Time::min();
  bool is_news_ = false;    // some status is not as the last heartbeat told it
  Time next_look_ = never;  // when time alone asks for something to be done
  Actions actions_;
};

}  // namespace dt::core::relay
