#include "core/master/tidy_checkpoints.h"

#include "core/master/verbs.h"

namespace dt::core {

Result<Value> tidy_checkpoints(Step& step, const CheckpointsTidied& event) {
  const ExperimentId id = event.experiment;
  TRY(present(step.book, id));
  const ExperimentRow& row = step.book.at(id).row;
  if (!is_terminal(row.state) || is_deleting(row.state)) {
    return failed_precondition("experiment ", id, " is ", to_text(row.state),
                               "; its checkpoints are left alone");
  }
  for (const CheckpointId& checkpoint : event.deleted) {
    step.effects.writes.deleted_checkpoints.push_back(checkpoint);
    step.book.tell_gone(checkpoint, id);
  }
  for (const auto& [trial, checkpoint] : event.latest) {
    if (step.book.find(trial) != nullptr) step.book.edit(trial).latest_checkpoint = checkpoint;
  }
  if (event.done) step.book.edit(id).tidied = true;
  return Value(Value::Object{{"deleted", static_cast<std::int64_t>(event.deleted.size())}});
}

}  // namespace dt::core
