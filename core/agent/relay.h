// The agent's brain: makes this node's allocations follow the master's wanted set, relays their
// spools, keeps the lease. What it holds and the set lacks is killed; it obeys no master of another
// cluster id or a lower epoch (DESIGN §4). It survives its own death by Reattached events: shims and
// spools outlive it. Deterministic and total; times are CLOCK_BOOTTIME.
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
struct Connected {};                     // the link is open; the shell sent AgentHello
struct Disconnected {};
struct Answered { Answer answer; };
struct Refused { std::string reason; };  // another machine holds this agent id, and the like
struct Reattached { AllocationStatus status; Marks acknowledged; Value assignment; };  // at start, one a folder
struct Prepared { AllocationId allocation; };  // context, checkpoint and folder are there
struct PrepareFailed { AllocationId allocation; std::string reason; bool infrastructure = true; };
struct ShimSaid { AllocationStatus status; std::int64_t spooled = 0; };  // on every change
struct ShimGone { AllocationId allocation; };  // its lock is free before it said ended
struct SpoolRead { AllocationId allocation; std::vector<Record> records; bool at_end = true; };
struct Acknowledged { AllocationId allocation; Marks marks; };   // the master stored up to here
struct MarksNamed { AllocationId allocation; Marks marks; };      // after a new link: resend from here
struct SendFailed { AllocationId allocation; };
struct PartStored { AllocationId allocation; CheckpointId checkpoint; int part = 0; };
struct PartFailed { AllocationId allocation; CheckpointId checkpoint; int part = 0; std::string reason; bool retry = true; };
struct ShutdownOrdered {};
struct Woke {};
using Event = std::variant<Connected, Disconnected, Answered, Refused, Reattached, Prepared,
                           PrepareFailed, ShimSaid, ShimGone, SpoolRead, Acknowledged, MarksNamed,
                           SendFailed, PartStored, PartFailed, ShutdownOrdered, Woke>;

// Actions.
struct SendHeartbeat { Heartbeat heartbeat; };
struct Remember { std::string cluster_id; std::int64_t cluster_epoch = 0; std::int64_t batch_seen = 0; };
struct Prepare { AllocationId allocation; Assignment assignment; };  // fetch, then launch the shim
struct StartRanks { AllocationId allocation; RankTable table; };
struct TellShim { AllocationId allocation; Order order = Order::run; Duration left{0}; };
struct ExtendLease { AllocationId allocation; Time checkpoint_at = never; Time deadline = never; };
struct ClearRemains { AllocationId allocation; };  // the shim died: kill what is left of its tree
struct ReadSpool { AllocationId allocation; Marks from; };  // answers SpoolRead, in file order
struct SendRecords { AllocationId allocation; std::vector<Record> records; };
struct UploadPart { AllocationId allocation; CheckpointId checkpoint; int part = 0; std::vector<CheckpointFile> files; };
struct RemoveFolder { AllocationId allocation; };
struct WakeAt { Time time; };
struct Leave {};  // shutdown is complete
using Action = std::variant<SendHeartbeat, Remember, Prepare, StartRanks, TellShim, ExtendLease,
                            ClearRemains, ReadSpool, SendRecords, UploadPart, RemoveFolder, WakeAt,
                            Leave>;
using Actions = std::vector<Action>;

class Brain {
 public:
  explicit Brain(Options options) : options_(std::move(options)) {}

  Actions step(Time now, const Event& event);
  std::vector<AllocationStatus> allocations() const;  // for AgentHello, sorted by id

 private:
  Options options_;
};

}  // namespace dt::core::relay
