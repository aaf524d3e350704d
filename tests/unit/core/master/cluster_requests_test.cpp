// The rarer requests and reports to the Cluster of the scenario tests.
#include "tests/unit/core/master/cluster.h"

namespace dt::core {

void Cluster::log_match(int trial, int rank, const std::string& policy, const std::string& action) {
  const Value fact = Value::Object{{"name", policy}, {"action", action}};
  put_in_inbox({.allocation = attempt(trial).id,
                .stream = rank,
                .kind = RecordKind::log,
                .body = Value::Object{{"policies", Value::Array{fact}}}});
}

void Cluster::progress(int trial, double fraction) {
  put_in_inbox({.allocation = attempt(trial).id,
                .kind = RecordKind::progress,
                .body = Value::Object{{"fraction", fraction}}});
}

std::string Cluster::order(const std::vector<int>& experiments, Verb verb) {
  VerbsOrdered event{.request = {.token = 1}, .verb = verb};
  for (const int id : experiments) event.experiments.push_back({id});
  step(event);
  return last_reply;
}

std::string Cluster::go_on(int experiment, Overrides overrides, std::vector<TrialId> trials) {
  step(ExperimentContinued{.request = {.token = 1},
                           .experiment = {experiment},
                           .trials = std::move(trials),
                           .overrides = std::move(overrides)});
  return last_reply;
}

std::string Cluster::edit(int experiment, ExperimentPatch patch) {
  step(ExperimentEdited{
      .request = {.token = 1}, .experiment = {experiment}, .patch = std::move(patch)});
  return last_reply;
}

std::string Cluster::end_deletion(int experiment, const std::string& failure) {
  step(DeletionEnded{.request = {.token = 1}, .experiment = {experiment}, .failure = failure});
  return last_reply;
}

std::string Cluster::set_state(const std::string& id, AgentState state) {
  step(AgentStateOrdered{.request = {.token = 1}, .agent = {id}, .state = state});
  return last_reply;
}

std::string Cluster::set_slots(const std::string& id, std::vector<std::string> slots, bool enabled,
                               bool drain) {
  step(SlotsOrdered{.request = {.token = 1},
                    .agent = {id},
                    .slots = std::move(slots),
                    .enabled = enabled,
                    .drain = drain});
  return last_reply;
}

}  // namespace dt::core
