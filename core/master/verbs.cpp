#include "core/master/verbs.h"

#include <utility>

#include "core/experiment/transitions.h"
#include "core/master/experiments.h"
#include "core/master/requests.h"
#include "core/master/trials.h"

namespace dt::core {
namespace {

Status refusal(const ExperimentRow& row, Verb verb, const char* hint) {
  return failed_precondition("experiment ", row.id, " is ", to_text(row.state), "; cannot ",
                             to_text(verb), " it")
      .with_hint(hint);
}

const char* way_out(ExperimentState state) {
  if (is_deleting(state)) return "";
  return is_terminal(state) ? "dtctl experiment continue lets an ended one go on"
                            : "wait until it has ended";
}

ExperimentState state_after(Verb verb) {
  switch (verb) {
    case Verb::pause: return ExperimentState::paused;
    case Verb::activate: return ExperimentState::active;
    case Verb::cancel: return ExperimentState::stopping_canceled;
    case Verb::kill: return ExperimentState::stopping_killed;
    default: break;
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

void (*act_of(Verb verb))(Step&, TrialId) {
  switch (verb) {
    case Verb::pause: return pause_trial;
    case Verb::activate: return activate_trial;
    case Verb::cancel: return cancel_trial;
    case Verb::kill: return kill_trial;
    default: break;
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

// What is failing goes on failing, whatever Determined's table lets a restored one do.
bool may_become(ExperimentState from, ExperimentState to) {
  const bool revives = to == ExperimentState::active && from != ExperimentState::paused;
  return !revives && can_become(from, to);
}

Result<Value> steer(Step& step, ExperimentId id, Verb verb) {
  const ExperimentState to = state_after(verb);
  const ExperimentRow& row = step.book.at(id).row;
  if (row.state != to) {
    if (!may_become(row.state, to)) return refusal(row, verb, way_out(row.state));
    set_experiment_state(step, id, to);
    for (const TrialId trial : trials_of(step.book, id)) act_of(verb)(step, trial);
  }
  finish_experiments(step);
  return Value(Value::Object{{"state", to_text(step.book.at(id).row.state)}});
}

Result<Value> archive(Step& step, ExperimentId id, Verb verb) {
  const ExperimentRow& row = step.book.at(id).row;
  if (!is_terminal(row.state)) return refusal(row, verb, "cancel or kill it first, or wait");
  const bool archived = verb == Verb::archive;
  if (row.archived != archived) step.book.edit(id).archived = archived;
  return Value(Value::Object{{"state", to_text(row.state)}, {"archived", archived}});
}

Result<Value> erase(Step& step, ExperimentId id) {
  const ExperimentRow& row = step.book.at(id).row;
  if (row.state != ExperimentState::deleting) {
    if (!can_become(row.state, ExperimentState::deleting)) {
      return refusal(row, Verb::erase, "cancel or kill it first, or wait");
    }
    set_experiment_state(step, id, ExperimentState::deleting);
    step.book.edit(id).message.clear();
  }
  Value::Object answer{{"state", to_text(row.state)}};
  const CheckpointStorageConfig& storage = step.book.at(id).config.checkpoint_storage;
  if (storage.kind != CheckpointStorageConfig::Kind::master) {
    answer.emplace("warning", cat("its checkpoints stay in ", storage.path,
                                  ", which is not the master's: remove them there"));
  }
  return Value(std::move(answer));
}

}  // namespace

Result<ExperimentId> present(const Book& book, ExperimentId id) {
  if (book.experiments.contains(id)) return id;
  const bool existed = id.value > 0 && id.value <= book.cluster.last_experiment;
  if (existed) return not_found("experiment ", id, " is deleted");
  return not_found("experiment ", id, " does not exist");
}

Result<Value> obey_verb(Step& step, ExperimentId id, Verb verb) {
  TRY(present(step.book, id));
  switch (verb) {
    case Verb::pause:
    case Verb::activate:
    case Verb::cancel:
    case Verb::kill: return steer(step, id, verb);
    case Verb::archive:
    case Verb::unarchive: return archive(step, id, verb);
    case Verb::erase: return erase(step, id);
  }
  VERIFY(false, "verb ", static_cast<int>(verb));
}

Value obey_verbs(Step& step, const VerbsOrdered& event) {
  Value::Array results;
  for (const ExperimentId id : event.experiments) {
    const Result<Value> result = obey_verb(step, id, event.verb);
    Value::Object entry{{"id", id.value}};
    if (result.ok()) {
      entry.insert(result->as_object().begin(), result->as_object().end());
    } else {
      entry.emplace("error", error_value(result.status()));
    }
    results.push_back(Value(std::move(entry)));
  }
  return Value(std::move(results));
}

Result<Value> end_deletion(Step& step, const DeletionEnded& event) {
  const ExperimentId id = event.experiment;
  TRY(present(step.book, id));
  const ExperimentRow& row = step.book.at(id).row;
  if (row.state != ExperimentState::deleting) {
    return failed_precondition("experiment ", id, " is ", to_text(row.state),
                               ", not being deleted");
  }
  if (!event.failure.empty()) {
    set_experiment_state(step, id, ExperimentState::delete_failed);
    step.book.edit(id).message = cat("could not be deleted: ", event.failure);
    return Value(Value::Object{{"state", to_text(row.state)}});
  }
  step.book.tell_gone(id);
  step.effects.writes.erased.push_back(id);
  return Value(Value::Object{{"state", to_text(ExperimentState::deleted)}});
}

}  // namespace dt::core
