#include "core/master/inbox.h"

#include <algorithm>

#include "base/number.h"
#include "core/experiment/attempt_end.h"
#include "core/experiment/validation.h"
#include "core/master/allocations.h"
#include "core/master/checkpoints.h"
#include "core/master/experiments.h"

namespace dt::core {
namespace {

// The node that ran the rank was given up, so the trial may already go on elsewhere.
bool is_given_up(const AllocationRow& allocation, int rank) {
  return std::any_of(allocation.nodes.begin(), allocation.nodes.end(), [&](const auto& node) {
    const bool holds = rank >= node.first_rank && rank < node.first_rank + rank_count(node);
    return holds && node.given_up;
  });
}

// Null when the record may not move a decision any more.
const TrialRow* judged_trial(const Step& step, const InboxRow& inbox) {
  if (!is_attempt_open(step.book, inbox.allocation)) return nullptr;
  const AllocationRow& allocation = step.book.allocations.at(inbox.allocation).row;
  if (is_given_up(allocation, inbox.stream)) return nullptr;
  return &step.book.trials.at(allocation.trial).row;
}

void note_best(Step& step, const Experiment& experiment, TrialId id, const Validation& read) {
  TrialRow& trial = step.book.edit(id);
  const SearcherConfig& config = experiment.config.searcher;
  if (is_better(config, read.report.metric, trial.best_metric)) {
    trial.best_metric = read.report.metric;
    trial.best_step = read.step;
  }
  if (is_better(config, read.report.metric, experiment.row.best_metric)) {
    ExperimentRow& row = step.book.edit(experiment.row.id);
    row.best_metric = read.report.metric;
    row.best_trial = id;
  }
}

void judge(Step& step, const Experiment& experiment, TrialId id, const Validation& read) {
  TrialRow& trial = step.book.edit(id);
  trial.latest_step = read.step;
  trial.latest_metric = read.report.metric;
  if (is_metric_problem(trial.message)) trial.message.clear();
  note_best(step, experiment, id, read);
  if (!is_judged(step.book, trial)) return;
  hear_search(step, trial.experiment, validation_event(read.report, read.step));
}

// The first value for a (trial, step) decides: a step that is not beyond the last judged one is a
// repeat after a resume, or late.
void read_validation_record(Step& step, const InboxRow& inbox) {
  const TrialRow* trial = judged_trial(step, inbox);
  if (trial == nullptr || trial->stopped_by_searcher) return;
  if (trial->state != TrialState::active && trial->state != TrialState::paused) return;
  const Experiment& experiment = step.book.at(trial->experiment);
  const Validation read = read_validation(experiment.config.searcher, trial->number, inbox.body);
  if (!read.problem.empty()) {
    if (!trial->latest_metric) step.book.edit(trial->id).message = read.problem;
    return;
  }
  if (trial->latest_metric && read.step <= trial->latest_step) return;
  judge(step, experiment, trial->id, read);
}

void read_progress(Step& step, const InboxRow& inbox) {
  const TrialRow* trial = judged_trial(step, inbox);
  const std::optional<double> fraction = number_of(inbox.body["fraction"]);
  if (trial != nullptr && fraction) hear_progress(step, trial->id, *fraction);
}

// The rank's own word; its exit code outranks it, so it is only kept for people.
void read_early_exit(Step& step, const InboxRow& inbox) {
  const TrialRow* trial = judged_trial(step, inbox);
  const Value& reason = inbox.body["reason"];
  if (trial == nullptr || !reason.is_string() || reason.as_string().empty()) return;
  if (!trial->message.empty()) return;
  step.book.edit(trial->id).message = cat("rank ", inbox.stream, " ends: ", reason.as_string());
}

AgentId agent_of(const AllocationRow& allocation, int stream) {
  for (const AllocationNode& node : allocation.nodes) {
    const bool ran_it = stream >= node.first_rank && stream < node.first_rank + rank_count(node);
    if (ran_it || stream == node_stream(node.node_rank)) return node.agent;
  }
  return {};
}

void exclude(TrialRow& trial, const AgentId& agent) {
  auto& excluded = trial.excluded_agents;
  const bool known = std::find(excluded.begin(), excluded.end(), agent) != excluded.end();
  if (agent && !known) excluded.push_back(agent);
}

// A log policy matched what the rank printed.
void read_log_match(Step& step, const InboxRow& inbox) {
  const TrialRow* judged = judged_trial(step, inbox);
  if (judged == nullptr || !inbox.body["policies"].is_array()) return;
  TrialRow& trial = step.book.edit(judged->id);
  for (const Value& policy : inbox.body["policies"].as_array()) {
    if (!policy["name"].is_string() || !policy["action"].is_string()) continue;
    trial.log_policy = policy["name"].as_string();
    const std::string& action = policy["action"].as_string();
    if (action == to_text(LogPolicy::Action::cancel_retries)) trial.retries_canceled = true;
    if (action != to_text(LogPolicy::Action::exclude_node)) continue;
    exclude(trial, agent_of(step.book.allocations.at(inbox.allocation).row, inbox.stream));
    step.book.must_schedule(trial.experiment);
  }
}

void read_row(Step& step, const InboxRow& inbox) {
  switch (inbox.kind) {
    case RecordKind::metrics: return read_validation_record(step, inbox);
    case RecordKind::progress: return read_progress(step, inbox);
    case RecordKind::early_exit: return read_early_exit(step, inbox);
    case RecordKind::exit: return read_exit(step, inbox);
    case RecordKind::log: return read_log_match(step, inbox);
    case RecordKind::checkpoint:
      return inbox.part_stored ? end_upload(step, inbox) : announce_checkpoint(step, inbox);
    case RecordKind::hello:
    case RecordKind::artifact:
    case RecordKind::environment: return;  // never decide anything
  }
}

}  // namespace

void read_inbox(Step& step, const std::vector<InboxRow>& rows) {
  for (const InboxRow& row : rows) {
    read_row(step, row);
    step.effects.writes.consumed.push_back(row.id);
    // An exit may end the attempt; what comes after it must see that.
    advance_allocations(step);
  }
}

}  // namespace dt::core
