// Drives the relay brain in tests and writes what it does as text, one line an action. Time moves
// only by `at`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/cat.h"
#include "core/agent/relay.h"

namespace dt::core::relay {

inline std::string text_of(const Marks& marks) {
  std::string out = "{";
  for (const auto& [stream, seq] : marks) {
    out += cat(out.size() > 1 ? " " : "", stream, ":", seq);
  }
  return out + "}";
}

inline std::string text_of(const std::vector<Record>& records) {
  std::string out;
  for (const Record& record : records) {
    out += cat(out.empty() ? "" : " ", record.stream, ".", record.seq);
  }
  return out;
}

inline std::string text_of(const std::vector<AllocationStatus>& statuses) {
  std::string out;
  for (const AllocationStatus& status : statuses) {
    out += cat(out.empty() ? "" : ", ", status.allocation, " ", status.phase);
    if (!status.failure.empty()) out += cat(" (", status.failure, ")");
  }
  return out;
}

inline std::string text_of(const std::vector<SlotFault>& faults) {
  std::string out;
  for (const SlotFault& fault : faults) out += cat(" ", fault.slot, ": ", fault.reason, ";");
  return out;
}

inline std::string text_of(Time time) { return time == never ? "never" : cat(to_ms(time)); }

inline std::string text_of(const Action& action) {
  return std::visit(
      Overload{
          [](const SendHeartbeat& a) {
            return cat("heartbeat ", a.heartbeat.number, " [", text_of(a.heartbeat.allocations),
                       "]", text_of(a.heartbeat.slot_faults),
                       a.heartbeat.leaving ? " leaving" : "");
          },
          [](const Remember& a) {
            return cat("remember ", a.cluster_id, " ", a.cluster_epoch, " ", a.batch_seen);
          },
          [](const Prepare& a) { return cat("prepare ", a.allocation); },
          [](const StartRanks& a) { return cat("start ", a.allocation); },
          [](const TellShim& a) {
            return cat("tell ", a.allocation, " ", a.order,
                       a.order == Order::preempt ? cat(" ", a.left.count()) : "");
          },
          [](const ExtendLease& a) {
            return cat("lease ", a.allocation, " ", text_of(a.checkpoint_at), " ",
                       text_of(a.deadline));
          },
          [](const ClearRemains& a) { return cat("clear ", a.allocation); },
          [](const ReadSpool& a) { return cat("read ", a.allocation, " from ", text_of(a.from)); },
          [](const SendRecords& a) { return cat("send ", a.allocation, ": ", text_of(a.records)); },
          [](const UploadPart& a) {
            return cat("upload ", a.allocation, " ", a.checkpoint, " part ", a.part, ", ",
                       a.files.size(), " files");
          },
          [](const RemoveFolder& a) { return cat("remove ", a.allocation); },
          [](const WakeAt& a) { return cat("wake at ", text_of(a.time)); },
          [](const Leave&) { return std::string("leave"); },
      },
      action);
}

inline const AllocationId a17{1, 7};

inline Record record(int stream, std::int64_t seq, RecordKind kind = RecordKind::log) {
  Record made{.stream = stream, .seq = seq, .kind = kind};
  if (kind == RecordKind::checkpoint) {
    Value file;
    file.set("path", "model").set("bytes", 4).set("sha256", "ab");
    made.body.set("id", cat("c", seq)).set("part", 0).set("files", Value::Array{file});
  }
  return made;
}

class Driver {
 public:
  explicit Driver(Options options = {.agent = AgentId{"agent"}}) : brain(std::move(options)) {}

  Driver& at(std::int64_t ms) { return now_ = from_ms(ms), *this; }

  // The actions of one event, joined by "; "; timers are left out unless asked for.
  std::string tell(const Event& event) {
    std::string out;
    for (const Action& action : brain.step(now_, event)) {
      if (std::holds_alternative<WakeAt>(action)) {
        wake = std::get<WakeAt>(action).time;
        continue;
      }
      out += cat(out.empty() ? "" : "; ", text_of(action));
    }
    return out;
  }

  std::string answer(std::vector<Wanted> wanted, std::int64_t heartbeat = 0,
                     std::int64_t lease_ms = 0) {
    return tell(Answered{{.heartbeat = heartbeat,
                          .cluster_id = "c",
                          .cluster_epoch = 1,
                          .session = 5,
                          .lease = Duration(lease_ms),
                          .wanted = std::move(wanted)}});
  }

  std::string shim_says(AllocationPhase phase, bool first = false) {
    return tell(ShimSaid{{.allocation = a17, .phase = phase}, 0, first});
  }

  // Linked to its master, which wants nothing yet.
  Driver& join() {
    tell(Connected{});
    answer({});
    return *this;
  }

  // Holds allocation 1.7, its ranks running, its empty spool read; three heartbeats were sent.
  Driver& run_allocation() {
    join();
    answer({{.allocation = a17, .order = Order::prepare, .assignment = Assignment{}}});
    tell(Prepared{a17});
    shim_says(AllocationPhase::running, true);
    tell(SpoolRead{a17, {}, true});  // of what Prepared asked for
    tell(SpoolRead{a17, {}, true});  // of what the shim said
    answer({{.allocation = a17, .order = Order::run}});
    return *this;
  }

  Brain brain;
  Time wake = never;

 private:
  Time now_ = from_ms(0);
};

}  // namespace dt::core::relay
