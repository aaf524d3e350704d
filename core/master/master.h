// The master's brain: the only place that composes search, scheduling and lifecycle. step() turns
// one event into row changes and actions; the loop commits a batch of changes in one transaction and
// only then performs the actions, so a crash between the two loses actions, never facts. recover()
// says again what must be said. Every action is safe to repeat and names its allocation. A message
// that names an id the state no longer knows is dropped as stale. Deterministic, total, no I/O;
// ties break by id. One thread owns it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "base/status.h"
#include "base/time.h"
#include "core/agent/messages.h"
#include "core/master/queue.h"
#include "core/master/rows.h"
#include "core/model/config.h"
#include "core/sched/request.h"
#include "core/search/method.h"

namespace dt::core {

// Names the caller that waits for a reply; 0: nobody does (after a restart).
using ReplyToken = std::int64_t;

struct RequestInfo {
  std::string request_id;  // empty: the caller does not want P8
  std::string user;
  std::string digest;      // of the request's content
  ReplyToken token = 0;
};

// Events, past tense.
struct ExperimentSubmitted {
  RequestInfo request;
  ParsedConfig config;
  std::string config_text;
  ContextHash context;
  bool paused = false;
  ExperimentId forked_from;
  Value provenance;  // null: unknown
};
struct ExperimentsSubmitted {  // each has a result of its own
  RequestInfo request;
  std::vector<ExperimentSubmitted> experiments;
};
enum class Verb { pause, activate, cancel, kill, archive, unarchive, erase };
const char* to_text(Verb verb);  // erase: "delete"
struct VerbOrdered { RequestInfo request; ExperimentId experiment; Verb verb = Verb::pause; };
struct VerbsOrdered {  // each experiment has a result of its own
  RequestInfo request;
  std::vector<ExperimentId> experiments;
  Verb verb = Verb::pause;
};
using Overrides = std::vector<std::pair<std::string, Value>>;  // path and value, in order
struct ExperimentContinued {
  RequestInfo request;
  ExperimentId experiment;
  std::vector<TrialId> trials;  // only these; empty: all that did not complete
  Overrides overrides;          // of the configuration, for the attempts that come
};
struct ExperimentPatch {  // what is given is changed
  std::optional<std::string> name, description, notes;
  std::optional<std::vector<std::string>> labels;  // instead of those it has
  std::vector<std::string> add_labels, remove_labels;
  std::optional<int> priority, max_slots;  // max_slots 0: no limit
  std::optional<double> weight;
};
struct ExperimentEdited { RequestInfo request; ExperimentId experiment; ExperimentPatch patch; };
// What was left of a deleted experiment is gone, or (with a failure) not all of it.
struct DeletionEnded { RequestInfo request; ExperimentId experiment; std::string failure; };
// Of an ended experiment: checkpoints that its policy does not keep; `done`: their files are gone too.
struct CheckpointsTidied {
  RequestInfo request;
  ExperimentId experiment;
  std::vector<CheckpointId> deleted;
  std::map<TrialId, CheckpointId> latest;  // of each trial that loses its latest: what is left, if any
  bool done = false;
};
struct SearchProposed { RequestInfo request; ExperimentId experiment; Proposal proposal; };
struct AgentForgotten { RequestInfo request; AgentId agent; };
struct AgentStateOrdered { RequestInfo request; AgentId agent; AgentState state{}; };
struct SlotsOrdered {
  RequestInfo request;
  AgentId agent;
  std::vector<std::string> slots;
  bool enabled = false;
  bool drain = false;  // with enabled = false: what runs there may end
};
struct AgentJoined { AgentHello hello; std::int64_t link = 0; };  // `link` names the open stream
struct AgentSpoke { Heartbeat heartbeat; std::int64_t link = 0; };
struct AgentDisconnected { AgentId agent; std::int64_t link = 0; };
struct InboxArrived { std::vector<InboxRow> rows; };
struct UploadProgressed { AllocationId allocation; };  // bytes of a checkpoint arrived
struct TimerFired {};
using MasterEvent = std::variant<ExperimentSubmitted, VerbOrdered, AgentForgotten, AgentJoined,
                                 AgentSpoke, AgentDisconnected, InboxArrived, UploadProgressed,
                                 TimerFired, VerbsOrdered, ExperimentContinued, ExperimentEdited,
                                 DeletionEnded, AgentStateOrdered, SlotsOrdered,
                                 ExperimentsSubmitted, CheckpointsTidied, SearchProposed>;

// Actions, imperative; performed after the commit.
struct Reply { ReplyToken token = 0; Result<Value> result = Value(); };
struct SendAnswer { AgentId agent; std::int64_t link = 0; Answer answer; };  // batch is filled in by the loop
struct RefuseAgent { std::int64_t link = 0; Status reason; };
struct WakeMasterAt { Time time; };
using MasterAction = std::variant<Reply, SendAnswer, RefuseAgent, WakeMasterAt>;

struct Effects {
  Writes writes;
  std::vector<MasterAction> actions;
};

struct MasterOptions {
  Duration agent_lease{180'000};  // 0: never
  Duration prepare_timeout{1'800'000};
  Duration upload_timeout{1'800'000};
  std::map<std::string, PoolConfig> pools{{"default", {}}};
  bool operator==(const MasterOptions&) const = default;
};

class Master {
 public:
  explicit Master(MasterOptions options);
  ~Master();
  Master(Master&&) noexcept;

  // Call once, before the first step. Agents are silent since `now`; their deadlines restart.
  Effects recover(Time now, const Recovered& recovered);
  Effects step(Time now, const MasterEvent& event) { return step(now, std::span(&event, 1)); }
  // Events that arrived together: one after the other, and slots are granted once, at the end.
  Effects step(Time now, std::span<const MasterEvent> events);

  // What has ended is not kept in memory. Before an event that names ended experiments is stepped,
  // their rows are read (after the last commit) and handed over, for that step alone.
  std::vector<ExperimentId> missing(const MasterEvent& event) const;
  void recall(Time now, const Recovered& ended);

  // Why a waiting trial waits, in words; empty if it runs.
  std::string why_waiting(TrialId trial) const;
  // Starts are estimated if the time is given.
  std::vector<Job> queue(Time now = {}) const;
  // For tests: what one more look at the pools would change now, in words; empty: nothing.
  std::string what_was_missed(Time now) const;
  // The whole durable state; recover(dump()) must give an equal brain.
  Recovered dump() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dt::core
