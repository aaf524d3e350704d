#include "core/master/edit.h"

#include <algorithm>
#include <utility>

#include "core/master/allocations.h"
#include "core/master/pool.h"
#include "core/master/verbs.h"

namespace dt::core {
namespace {

constexpr std::size_t notes_bytes_max = 1 << 20;

bool is_of_the_job(const ExperimentPatch& patch) {
  return patch.weight || patch.priority || patch.max_slots;
}

Status check_patch(const ExperimentRow& row, const ExperimentPatch& patch) {
  if (is_deleting(row.state)) {
    return failed_precondition("experiment ", row.id, " is ", to_text(row.state));
  }
  if (is_of_the_job(patch) && is_terminal(row.state)) {
    return failed_precondition("experiment ", row.id, " is ", to_text(row.state),
                               "; weight, priority and max_slots are those of a job in the queue")
        .with_hint("continue it, or fork it");
  }
  if (patch.notes && patch.notes->size() > notes_bytes_max) {
    return invalid_argument("notes: ", patch.notes->size(), " bytes; at most 1 MiB is kept")
        .with_detail({.subject = "notes", .value = {}, .hint = "shorten them", .path = "notes"});
  }
  return {};
}

Value labels_after(const Value& before, const ExperimentPatch& patch) {
  std::vector<std::string> labels;
  const auto add = [&](const std::string& label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  };
  if (patch.labels) {
    for (const std::string& label : *patch.labels) add(label);
  } else if (before.is_array()) {
    for (const Value& label : before.as_array()) add(label.as_string());
  }
  for (const std::string& label : patch.add_labels) add(label);
  std::erase_if(labels, [&](const std::string& label) {
    return std::find(patch.remove_labels.begin(), patch.remove_labels.end(), label) !=
           patch.remove_labels.end();
  });
  return Value(Value::Array(labels.begin(), labels.end()));
}

Result<ParsedConfig> patched(const ExperimentRow& row, const ExperimentPatch& patch) {
  Value config = row.config;
  config.set("labels", labels_after(config["labels"], patch));
  if (patch.name) config.set("name", *patch.name);
  if (patch.description) config.set("description", *patch.description);
  if (patch.weight) TRY(set_config_key(config, "resources.weight", *patch.weight));
  if (patch.priority) TRY(set_config_key(config, "resources.priority", *patch.priority));
  if (patch.max_slots) {
    const Value limit = *patch.max_slots == 0 ? Value() : Value(*patch.max_slots);
    TRY(set_config_key(config, "resources.max_slots", limit));
  }
  const std::vector<Status> problems = check_config(config);
  if (!problems.empty()) return problems.front();
  return parse_config(config, {});
}

// The youngest attempts above a lowered limit are asked to checkpoint and go.
void shrink(Step& step, const Experiment& experiment) {
  const std::optional<int>& limit = experiment.config.resources.max_slots;
  if (!limit) return;
  int slots = slots_held(step.book, experiment);
  std::vector<AllocationId> live;
  for (const auto& [number, id] : experiment.trials) {
    const TrialMemory& trial = step.book.at(id);
    if (trial.live && is_attempt_open(step.book, trial.live)) live.push_back(trial.live);
  }
  std::sort(live.rbegin(), live.rend());
  for (const AllocationId id : live) {
    if (slots <= *limit) return;
    slots -= step.book.find(id)->row.size;
    withdraw(step, id);
  }
}

}  // namespace

Result<Value> edit_experiment(Step& step, const ExperimentEdited& event) {
  const ExperimentId id = event.experiment;
  const ExperimentPatch& patch = event.patch;
  TRY(present(step.book, id));
  Experiment& experiment = step.book.at(id);
  TRY(check_patch(experiment.row, patch));
  ParsedConfig changed = TRY(patched(experiment.row, patch));
  if (is_of_the_job(patch)) TRY(check_resources(step.book, changed.config.resources));
  ExperimentRow& row = step.book.edit(id);
  row.name = changed.config.name;
  row.priority = changed.config.resources.priority;
  row.config = std::move(changed.resolved);
  if (patch.notes) row.notes = *patch.notes;
  experiment.config = std::move(changed.config);
  if (is_of_the_job(patch)) {
    shrink(step, experiment);
    step.book.must_schedule(id);
  }
  return Value(Value::Object{{"id", id.value}});
}

}  // namespace dt::core
