#include "sim/life_laws.h"

#include <algorithm>
#include <initializer_list>

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

using E = ExperimentState;
using T = TrialState;

template <class State>
bool in(State state, std::initializer_list<State> states) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

bool may_follow(E from, E to) {
  switch (from) {
    case E::active:
    case E::paused: return true;  // within one step it may come to any end
    case E::stopping_canceled:
      return in(to, {E::stopping_killed, E::stopping_error, E::canceled, E::error});
    case E::stopping_killed: return in(to, {E::stopping_error, E::canceled, E::error});
    case E::stopping_completed: return in(to, {E::stopping_error, E::completed, E::error});
    case E::stopping_error: return to == E::error;
    default: return false;
  }
}

bool may_follow(T from, T to) {
  switch (from) {
    case T::active:
    case T::paused: return true;
    case T::stopping_completed: return to == T::completed;
    case T::stopping_canceled: return in(to, {T::stopping_killed, T::canceled});
    case T::stopping_killed: return to == T::canceled;
    case T::stopping_error: return to == T::error;
    default: return false;
  }
}

bool is_over(E state) { return in(state, {E::canceled, E::completed, E::error}); }
bool is_over(T state) { return in(state, {T::canceled, T::completed, T::error}); }
bool is_stopping(E state) {
  return in(state,
            {E::stopping_canceled, E::stopping_killed, E::stopping_completed, E::stopping_error});
}

bool trials_are_over(const Turn& turn, const ExperimentRow& row) {
  for (const auto& [id, before] : turn.before.trials) {
    if (before.experiment == row.id && !is_over(turn.after(id)->state)) return false;
  }
  for (const TrialRow& trial : turn.writes().trials) {
    if (trial.experiment == row.id && !is_over(trial.state)) return false;
  }
  return true;
}

Breach changed(const Turn& turn, const ExperimentRow& was, const ExperimentRow& is) {
  if (is_over(was.state)) return "is over, but changes";
  if (was.state != is.state && !may_follow(was.state, is.state)) {
    return cat("goes from ", core::to_text(was.state), " to ", core::to_text(is.state));
  }
  const bool same = was.owner == is.owner && was.name == is.name && was.config == is.config &&
                    was.context == is.context && was.created_ms == is.created_ms &&
                    was.forked_from == is.forked_from;
  if (!same) return "changes what never changes";
  if (is.searcher_events < was.searcher_events) return "loses events of its search";
  if (was.searcher_done && !is.searcher_done) return "takes the end of its search back";
  if (!is_over(is.state)) return is.ended_ms == 0 ? "" : "has an end, but goes on";
  if (is.ended_ms != to_ms(turn.now)) return "ends at another time than now";
  return trials_are_over(turn, is) ? "" : "ends before its trials";
}

Breach begins(const Turn& turn, const ExperimentRow& row) {
  const auto* submitted = turn.heard<ExperimentSubmitted>();
  if (submitted == nullptr) return "comes from nowhere";
  if (row.id.value != turn.before.cluster.last_experiment + 1) return "has not the next number";
  if (row.owner != submitted->request.user) return "has another owner";
  if (row.config != submitted->config.resolved) return "has another configuration";
  if (row.forked_from != submitted->forked_from) return "is a fork of another";
  if (row.created_ms != to_ms(turn.now)) return "begins at another time than now";
  return submitted->paused == (row.state == E::paused) ? "" : "begins in the wrong state";
}

// The row without what late uploads may still change.
bool same_end(TrialRow was, TrialRow is) {
  for (TrialRow* row : {&was, &is}) {
    row->latest_checkpoint = {};
    row->latest_metric = row->best_metric = std::nullopt;  // NaN is not NaN
  }
  return was == is;
}

Breach changed(const Turn& turn, const TrialRow& was, const TrialRow& is) {
  if (is_over(was.state)) return same_end(was, is) ? "" : "is over, but changes";
  if (was.state != is.state && !may_follow(was.state, is.state)) {
    return cat("goes from ", core::to_text(was.state), " to ", core::to_text(is.state));
  }
  const bool same = was.experiment == is.experiment && was.number == is.number &&
                    was.request_id == is.request_id && was.seed == is.seed &&
                    was.hparams == is.hparams && was.created_ms == is.created_ms;
  if (!same) return "changes what never changes";
  if (was.stopped_by_searcher && !is.stopped_by_searcher) return "is not stopped any more";
  if (is.restarts != was.restarts && is.restarts != was.restarts + 1) return "counts wrongly";
  if (is.latest_step < was.latest_step) return "goes back in its steps";
  if (is.exit_told && !is_over(is.state)) return "is told to be over, but goes on";
  if (is_over(is.state) && is.ended_ms != to_ms(turn.now)) return "ends at another time than now";
  return "";
}

Breach begins(const Turn& turn, const TrialRow& row) {
  if (row.id.value <= turn.before.cluster.last_trial) return "has an old number";
  if (row.created_ms != to_ms(turn.now)) return "begins at another time than now";
  if (row.restarts != 0 || row.attempts > 1) return "begins with a past";
  const ExperimentRow* experiment = turn.after(row.experiment);
  if (experiment == nullptr) return "belongs to no experiment";
  const bool paused = experiment->state == E::paused;
  if (row.state == (paused ? T::active : T::paused)) return "begins in the wrong state";
  return "";
}

Breach limits(const Turn& turn, const TrialRow& row) {
  const ExperimentRow& experiment = *turn.after(row.experiment);
  const Value& most = experiment.config["max_restarts"];
  if (most.is_int() && row.restarts > most.as_int()) {
    return cat("was restarted ", row.restarts, " times, P7 allows ", most.as_int());
  }
  const bool search_goes_on = in(experiment.state, {E::active, E::paused});
  if (is_over(row.state) && !row.exit_told && search_goes_on) {
    return "is over without its search knowing";
  }
  if (!(row.progress >= 0 && row.progress <= 1)) return "has no progress between 0 and 1";
  if (row.state == T::error && row.message.empty()) return "ends with an error without a word";
  return "";
}

std::optional<E> state_after(Verb verb) {
  switch (verb) {
    case Verb::pause: return E::paused;
    case Verb::activate: return E::active;
    case Verb::cancel: return E::stopping_canceled;
    case Verb::kill: return E::stopping_killed;
    default: return std::nullopt;
  }
}

bool may_order(E from, E to) {
  if (from == to) return true;
  if (in(from, {E::active, E::paused})) return true;
  return from == E::stopping_canceled && to == E::stopping_killed;
}

// A killed attempt is told at once, a trial without one is over at once.
Breach killed(const Turn& turn, ExperimentId id) {
  for (const auto& [allocation, was] : turn.before.allocations) {
    if (was.experiment != id || was.state >= AllocationState::settling) continue;
    const AllocationRow& is = *turn.after(allocation);
    if (is.state < AllocationState::settling && is.order != Order::kill) {
      return cat("allocation ", allocation, " is not told of the kill");
    }
  }
  return "";
}

Breach verb_breach(const Turn& turn, const VerbOrdered& ordered, const Result<Value>& result) {
  const ExperimentRow* was = Turn::find(turn.before.experiments, ordered.experiment);
  const std::optional<E> to = state_after(ordered.verb);
  if (!to) return "";
  if (was == nullptr || !may_order(was->state, *to)) {
    return result.ok() ? "is taken, but makes no sense" : "";
  }
  if (!result.ok()) return cat("is refused: ", result.status().text());
  const E is = turn.after(ordered.experiment)->state;
  const bool done = is == *to || (is_over(is) && is_stopping(*to));
  if (!done) return cat("leaves the experiment ", core::to_text(is));
  return ordered.verb == Verb::kill ? killed(turn, ordered.experiment) : "";
}

const RequestInfo* request_of(const Turn& turn) {
  if (const auto* event = turn.heard<ExperimentSubmitted>()) return &event->request;
  if (const auto* event = turn.heard<VerbOrdered>()) return &event->request;
  if (const auto* event = turn.heard<AgentForgotten>()) return &event->request;
  return nullptr;
}

const Reply* reply_in(const Turn& turn, ReplyToken token) {
  for (const MasterAction& action : turn.effects.actions) {
    const auto* reply = std::get_if<Reply>(&action);
    if (reply != nullptr && reply->token == token) return reply;
  }
  return nullptr;
}

template <class Row, class Rows>
Breach each(const Turn& turn, const char* what, const std::vector<Row>& written,
            const Rows& before) {
  for (const Row& row : written) {
    const auto was = before.find(row.id);
    const Breach breach = was == before.end() ? begins(turn, row) : changed(turn, was->second, row);
    if (!breach.empty()) return cat(what, ' ', row.id, ' ', breach);
  }
  return "";
}

}  // namespace

Breach experiment_breach(const Turn& turn) {
  return each(turn, "experiment", turn.writes().experiments, turn.before.experiments);
}

Breach trial_breach(const Turn& turn) {
  if (turn.writes().trials.empty()) return "";
  const Breach breach = each(turn, "trial", turn.writes().trials, turn.before.trials);
  if (!breach.empty()) return breach;
  for (const TrialRow& row : turn.writes().trials) {
    if (const Breach found = limits(turn, row); !found.empty()) {
      return cat("trial ", row.id, ' ', found);
    }
  }
  return "";
}

Breach request_breach(const Turn& turn) {
  const RequestInfo* request = request_of(turn);
  if (request == nullptr) return "";
  const Reply* reply = reply_in(turn, request->token);
  if (reply == nullptr) return cat("P8: request ", request->request_id, " is not answered");
  const Writes& writes = turn.writes();
  if (turn.before.requests.contains(request->request_id)) {
    const bool idle = writes.experiments.empty() && writes.trials.empty() &&
                      writes.requests.empty() && writes.searcher_events.empty();
    return idle ? "" : cat("P8: the repeat of request ", request->request_id, " has an effect");
  }
  const bool kept =
      std::any_of(writes.requests.begin(), writes.requests.end(), [&](const RequestRow& row) {
        return row.request_id == request->request_id && row.request_digest == request->digest &&
               row.user == request->user && row.created_ms == to_ms(turn.now);
      });
  if (!kept) return cat("P8: the answer to ", request->request_id, " is not kept");
  const auto* ordered = turn.heard<VerbOrdered>();
  if (ordered == nullptr) return "";
  const Breach breach = verb_breach(turn, *ordered, reply->result);
  return breach.empty() ? ""
                        : cat(core::to_text(ordered->verb), " of experiment ", ordered->experiment,
                              ' ', breach);
}

}  // namespace dt::sim
