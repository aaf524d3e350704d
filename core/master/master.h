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
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "base/status.h"
#include "base/time.h"
#include "core/agent/messages.h"
#include "core/master/rows.h"
#include "core/model/config.h"
#include "core/sched/request.h"

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
};
enum class Verb { pause, activate, cancel, kill };
const char* to_text(Verb verb);
struct VerbOrdered { RequestInfo request; ExperimentId experiment; Verb verb = Verb::pause; };
struct AgentForgotten { RequestInfo request; AgentId agent; };
struct AgentJoined { AgentHello hello; std::int64_t link = 0; };  // `link` names the open stream
struct AgentSpoke { Heartbeat heartbeat; std::int64_t link = 0; };
struct AgentDisconnected { AgentId agent; std::int64_t link = 0; };
struct InboxArrived { std::vector<InboxRow> rows; };
struct UploadProgressed { AllocationId allocation; };  // bytes of a checkpoint arrived
struct TimerFired {};
using MasterEvent = std::variant<ExperimentSubmitted, VerbOrdered, AgentForgotten, AgentJoined,
                                 AgentSpoke, AgentDisconnected, InboxArrived, UploadProgressed,
                                 TimerFired>;

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
  Effects step(Time now, const MasterEvent& event);

  // For tests, the simulator and ExplainJob: why a waiting trial waits, in words; empty if it runs.
  std::string why_waiting(TrialId trial) const;
  std::map<TrialId, std::string> waiting() const;  // of every trial that waits
  // The whole durable state; recover(dump()) must give an equal brain.
  Recovered dump() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dt::core
