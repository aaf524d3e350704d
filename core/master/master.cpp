#include "core/master/master.h"

#include <utility>

#include "core/master/agents.h"
#include "core/master/allocations.h"
#include "core/master/checkpoints.h"
#include "core/master/experiments.h"
#include "core/master/inbox.h"
#include "core/master/pool.h"
#include "core/master/requests.h"
#include "core/master/state.h"
#include "core/master/timers.h"
#include "core/master/wanted.h"

namespace dt::core {
namespace {

void on(Step& step, const ExperimentSubmitted& event) {
  answer_request(step, event.request, [&] { return submit_experiment(step, event); });
}
void on(Step& step, const VerbOrdered& event) {
  answer_request(step, event.request, [&] { return obey_verb(step, event); });
}
void on(Step& step, const AgentForgotten& event) {
  answer_request(step, event.request, [&] { return forget_agent(step, event); });
}
void on(Step& step, const AgentJoined& event) { join_agent(step, event); }
void on(Step& step, const AgentSpoke& event) { hear_agent(step, event); }
void on(Step& step, const AgentDisconnected& event) { disconnect_agent(step, event); }
void on(Step& step, const InboxArrived& event) { read_inbox(step, event.rows); }
void on(Step& step, const UploadProgressed& event) {
  if (AllocationMemory* allocation = step.book.find(event.allocation)) {
    allocation->upload_moved = step.now;
  }
}
void on(Step& step, const TimerFired&) { fire_deadlines(step); }

}  // namespace

const char* to_text(Verb verb) {
  switch (verb) {
    case Verb::pause: return "pause";
    case Verb::activate: return "activate";
    case Verb::cancel: return "cancel";
    case Verb::kill: return "kill";
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

Master::Master(MasterOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Master::~Master() = default;
Master::Master(Master&&) noexcept = default;

Effects Master::step(Time now, const MasterEvent& event) {
  VERIFY(state_->recovered, "a step before recover()");
  Effects effects;
  Step step{state_->book, now, effects};
  if (std::holds_alternative<TimerFired>(event)) state_->armed = never;  // the loop holds none now
  std::visit([&](const auto& happened) { on(step, happened); }, event);
  state_->finish(step);
  return effects;
}

void Master::State::finish(Step& step) {
  do {
    advance_allocations(step);
    finish_experiments(step);
    schedule_pools(step);
  } while (book.must_schedule || !book.changed_allocations.empty());
  answer_agents(step);
  book.collect(step.effects.writes);
  forget_superseded_checkpoints(book);
  book.forget_ended();
  // A deadline that moved away is found when the earlier wake-up comes.
  const Time next = next_deadline(book);
  if (next >= armed) return;
  armed = next;
  step.effects.actions.push_back(WakeMasterAt{next});
}

std::string Master::why_waiting(TrialId trial) const {
  return core::why_waiting(state_->book, trial);
}

std::map<TrialId, std::string> Master::waiting() const {
  std::map<TrialId, std::string> reasons;
  for (const auto& [id, trial] : state_->book.trials) {
    std::string reason = why_waiting(id);
    if (!reason.empty()) reasons.emplace(id, std::move(reason));
  }
  return reasons;
}

}  // namespace dt::core
