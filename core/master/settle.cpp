// The end of an attempt: what was judged (core/experiment/attempt_end.h) becomes of the trial. The
// trial is decided here, at once; the allocation stays, settling, until its announced checkpoints
// are stored or abandoned, and no later attempt begins before.
#include <algorithm>

#include "core/experiment/attempt_end.h"
#include "core/experiment/validation.h"
#include "core/master/allocations.h"
#include "core/master/pool.h"
#include "core/master/trials.h"

namespace dt::core {
namespace {

constexpr int launch_failures_max = 10;
constexpr Duration first_backoff{1'000};
constexpr Duration longest_backoff{60'000};

std::string outcome_text(const AttemptEnd& end) {
  const auto with = [&](const char* word) {
    return end.message.empty() ? std::string(word) : cat(word, ": ", end.message);
  };
  switch (end.kind) {
    case EndKind::completed: return "completed";
    case EndKind::stopped: return "stopped by the search";
    case EndKind::canceled: return end.message;
    case EndKind::errored: return with("errored");
    case EndKind::invalid_hparams: return with("invalid hyperparameters");
    case EndKind::preempted: return with("preempted");
    case EndKind::infrastructure: return with("infrastructure");
    case EndKind::failed: return with("failed");
  }
  return "";
}

// A search cannot do without its metric. For a single trial it decides nothing, so a program that
// reports no validation at all is only told so.
void complete(Step& step, TrialId id) {
  const TrialRow& row = step.book.at(id).row;
  const SearcherConfig& searcher = step.book.at(row.experiment).config.searcher;
  if (row.latest_metric) {
    return end_trial(step, id, TrialState::completed, ExitReason::completed, row.message);
  }
  const bool is_single = std::holds_alternative<SingleSearch>(searcher.method);
  if (is_metric_problem(row.message)) {
    end_trial(step, id, TrialState::error, ExitReason::errored, row.message);
  } else if (is_single) {
    end_trial(step, id, TrialState::completed, ExitReason::completed, never_reported(searcher));
  } else {
    end_trial(step, id, TrialState::error, ExitReason::errored, never_reported(searcher));
  }
}

Duration backoff_after(int failures) {
  Duration wait = first_backoff;
  for (int i = 1; i < failures && wait < longest_backoff; ++i) wait *= 2;
  return std::min(wait, longest_backoff);
}

// An attempt that never ran is tried again ever later; one that ran goes on at once.
void repeat_free(Step& step, const AllocationRow& row, const std::string& message) {
  TrialMemory& trial = step.book.at(row.trial);
  if (row.started_ms > 0) return;
  ++trial.launch_failures;
  trial.last_failure = message;
  if (trial.launch_failures < launch_failures_max) {
    trial.not_before = step.now + backoff_after(trial.launch_failures);
    return;
  }
  end_trial(step, row.trial, TrialState::error, ExitReason::errored,
            cat("could not be started ", launch_failures_max,
                " times in a row; the last time: ", message));
}

// Why a failed attempt is not repeated, whatever max_restarts says; empty: it may be.
std::string why_not_again(const Book& book, const TrialRow& trial) {
  if (trial.retries_canceled) {
    return cat("; not restarted, because its output matched the log policy \"", trial.log_policy,
               "\" (cancel_retries)");
  }
  if (trial.excluded_agents.empty() || has_place_besides(book, trial)) return "";
  std::string names;
  for (const AgentId& agent : trial.excluded_agents) {
    names += cat(names.empty() ? "" : ", ", called(book, agent));
  }
  return cat("; no node is left that could run it: log policies exclude ", names);
}

// Who was granted slots and had to give them back before it ran may try again at once, but when that
// repeats it waits: else a request that still waits for others to leave would let it begin and end
// again, many times a second.
void repeat_after_withdrawal(Step& step, const AllocationRow& row) {
  TrialMemory& trial = step.book.at(row.trial);
  if (row.started_ms > 0 || trial.row.state != TrialState::active) return;
  if (++trial.withdrawals < 2) return;
  trial.not_before = step.now + backoff_after(trial.withdrawals - 1);
}

void repeat_after_failure(Step& step, const AllocationRow& row, const std::string& message) {
  const int max_restarts = step.book.at(row.experiment).config.max_restarts;
  TrialRow& trial = step.book.edit(row.trial);
  if (const std::string why = why_not_again(step.book, trial); !why.empty()) {
    return end_trial(step, row.trial, TrialState::error, ExitReason::errored, cat(message, why));
  }
  if (trial.restarts >= max_restarts) {
    const std::string after = max_restarts == 0 ? "" : cat(" after ", max_restarts, " restarts");
    return end_trial(step, row.trial, TrialState::error, ExitReason::errored, cat(message, after));
  }
  ++trial.restarts;
  if (is_metric_problem(trial.message)) return;  // that is what matters in the end
  trial.message = cat("attempt ", row.attempt, " failed: ", message, "; restart ", trial.restarts,
                      " of ", max_restarts);
}

}  // namespace

void settle_attempt(Step& step, AllocationId id) {
  AllocationMemory& memory = *step.book.find(id);
  const TrialId trial = memory.row.trial;
  const AttemptEnd end = judge_end(step.book.at(trial).row, memory.row);
  AllocationRow& row = step.book.edit(id);
  row.state = AllocationState::settling;
  row.outcome = outcome_text(end);
  memory.since = memory.upload_moved = step.now;
  switch (end.kind) {
    case EndKind::completed: return complete(step, trial);
    case EndKind::stopped:
      return end_trial(step, trial, TrialState::completed, ExitReason::completed, "");
    case EndKind::canceled:
      return end_trial(step, trial, TrialState::canceled, ExitReason::user_cancelled, end.message);
    case EndKind::errored:
      return end_trial(step, trial, TrialState::error, ExitReason::errored, end.message);
    case EndKind::invalid_hparams:
      return end_trial(step, trial, TrialState::completed, ExitReason::invalid_hp,
                       cat(invalid_hparams_words, end.message));
    case EndKind::preempted: return repeat_after_withdrawal(step, row);
    case EndKind::infrastructure: return repeat_free(step, row, end.message);
    case EndKind::failed: return repeat_after_failure(step, row, end.message);
  }
}

}  // namespace dt::core
