#include "core/master/master.h"

#include <utility>

#include "core/master/agent_state.h"
#include "core/master/agents.h"
#include "core/master/allocations.h"
#include "core/master/checkpoints.h"
#include "core/master/continue.h"
#include "core/master/edit.h"
#include "core/master/estimate.h"
#include "core/master/experiments.h"
#include "core/master/inbox.h"
#include "core/master/pool.h"
#include "core/master/requests.h"
#include "core/master/state.h"
#include "core/master/tidy_checkpoints.h"
#include "core/master/timers.h"
#include "core/master/verbs.h"
#include "core/master/wanted.h"

namespace dt::core {
namespace {

void on(Step& step, const ExperimentSubmitted& event) {
  answer_request(step, event.request, [&] { return submit_experiment(step, event); });
}
void on(Step& step, const ExperimentsSubmitted& event) {
  answer_request(step, event.request, [&] { return Result<Value>(submit_experiments(step, event)); });
}
void on(Step& step, const VerbOrdered& event) {
  answer_request(step, event.request,
                 [&] { return obey_verb(step, event.experiment, event.verb); });
}
void on(Step& step, const VerbsOrdered& event) {
  answer_request(step, event.request, [&] { return Result<Value>(obey_verbs(step, event)); });
}
void on(Step& step, const ExperimentContinued& event) {
  answer_request(step, event.request, [&] { return continue_experiment(step, event); });
}
void on(Step& step, const ExperimentEdited& event) {
  answer_request(step, event.request, [&] { return edit_experiment(step, event); });
}
void on(Step& step, const DeletionEnded& event) {
  answer_request(step, event.request, [&] { return end_deletion(step, event); });
}
void on(Step& step, const CheckpointsTidied& event) {
  answer_request(step, event.request, [&] { return tidy_checkpoints(step, event); });
}
void on(Step& step, const AgentStateOrdered& event) {
  answer_request(step, event.request, [&] { return set_agent_state(step, event); });
}
void on(Step& step, const SlotsOrdered& event) {
  answer_request(step, event.request, [&] { return set_slots_enabled(step, event); });
}
void on(Step& step, const SearchProposed& event) {
  answer_request(step, event.request, [&] { return propose_to_search(step, event); });
}
void on(Step& step, const AgentForgotten& event) {
  answer_request(step, event.request, [&] { return forget_agent(step, event); });
}
void on(Step& step, const AgentJoined& event) { join_agent(step, event); }
void on(Step& step, const AgentSpoke& event) { hear_agent(step, event); }
void on(Step& step, const AgentDisconnected& event) { disconnect_agent(step, event); }
void on(Step& step, const InboxArrived& event) { read_inbox(step, event.rows); }
void on(Step& step, const UploadProgressed& event) { note_upload(step, event.allocation); }
void on(Step& step, const TimerFired&) { fire_deadlines(step); }

std::vector<ExperimentId> named_by(const MasterEvent& event) {
  return std::visit(
      [](const auto& happened) -> std::vector<ExperimentId> {
        if constexpr (std::is_same_v<decltype(happened), const VerbsOrdered&>)
          return happened.experiments;
        else if constexpr (requires { happened.experiment; }) return {happened.experiment};
        else return {};
      },
      event);
}

}  // namespace

const char* to_text(Verb verb) {
  switch (verb) {
    case Verb::pause: return "pause";
    case Verb::activate: return "activate";
    case Verb::cancel: return "cancel";
    case Verb::kill: return "kill";
    case Verb::archive: return "archive";
    case Verb::unarchive: return "unarchive";
    case Verb::erase: return "delete";
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

Master::Master(MasterOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Master::~Master() = default;
Master::Master(Master&&) noexcept = default;

Effects Master::step(Time now, std::span<const MasterEvent> events) {
  VERIFY(state_->recovered, "a step before recover()");
  Effects effects;
  Step step{state_->book, now, effects};
  for (const MasterEvent& event : events) {
    if (std::holds_alternative<TimerFired>(event)) state_->armed = never;  // the loop holds none now
    std::visit([&](const auto& happened) { on(step, happened); }, event);
    advance_allocations(step);
    finish_experiments(step);
  }
  state_->finish(step);
  return effects;
}

std::vector<ExperimentId> Master::missing(const MasterEvent& event) const {
  std::vector<ExperimentId> ids = named_by(event);
  std::erase_if(ids, [&](ExperimentId id) { return state_->book.find(id) != nullptr; });
  return ids;
}

void Master::State::finish(Step& step) {
  do {
    advance_allocations(step);
    finish_experiments(step);
    schedule_pools(step);
  } while (!book.pools_to_schedule.empty() || !book.changed_allocations.empty());
  answer_agents(step);
  book.collect(step.effects.writes);
  forget_superseded_checkpoints(book);
  book.forget_ended(step.effects.writes);
  // A deadline that moved away is found when the earlier wake-up comes.
  const Time next = next_deadline(book);
  if (next >= armed) return;
  armed = next;
  step.effects.actions.push_back(WakeMasterAt{next});
}

std::string Master::why_waiting(TrialId trial) const {
  return core::why_waiting(state_->book, trial);
}

std::string Master::what_was_missed(Time now) const {
  Effects none;
  Step step{state_->book, now, none};
  return core::what_was_missed(step);
}

std::vector<Job> Master::queue(Time now) const {
  std::vector<Job> queue = queue_of(state_->book);
  if (now != Time{}) estimate_starts(state_->book, now, queue);
  return queue;
}

}  // namespace dt::core
