#include "sim/attempt_laws.h"

#include <algorithm>

#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

constexpr int failures_most = 10;

bool is_over(TrialState state) {
  return state == TrialState::canceled || state == TrialState::completed ||
         state == TrialState::error;
}

bool is_open(const AllocationRow& row) { return row.state < AllocationState::settling; }

bool is_launching(const AllocationRow& row) {
  return row.state < AllocationState::running && row.order < Order::kill;
}

bool has_run(const AllocationNode& node) {
  return node.phase == AllocationPhase::running || !node.exits.empty();
}

int ranks_of(const AllocationNode& node) {
  return std::max<int>(static_cast<int>(node.slot_ids.size()), 1);
}

bool fails(const RankExit& exit) {
  if (exit.code == 75 || (exit.code == 0 && exit.signal == 0)) return false;
  const bool killed = exit.code == 137 || exit.code == 143 || exit.signal == 9 || exit.signal == 15;
  return !(killed && (exit.ordered == Order::preempt || exit.ordered == Order::stop));
}

bool was_preempted(const RankExit& exit) {
  const bool killed = exit.code == 137 || exit.code == 143 || exit.signal == 9 || exit.signal == 15;
  return exit.code == 75 || (killed && exit.ordered == Order::preempt);
}

// The gang is no longer whole, and not because somebody ordered so.
bool is_broken(const AllocationRow& row) {
  for (const AllocationNode& node : row.nodes) {
    if (!node.failure.empty()) return true;
    const bool unread = std::ssize(node.exits_read) < ranks_of(node);
    if (node.phase == AllocationPhase::lost && unread) return true;
    if (std::any_of(node.exits.begin(), node.exits.end(), fails)) return true;
    if (node.released && node.exits.empty()) return true;
  }
  return false;
}

bool all_released(const AllocationRow& row) {
  return std::all_of(row.nodes.begin(), row.nodes.end(),
                     [](const AllocationNode& node) { return node.released; });
}

// What an attempt is ordered at least, by its trial's state; nothing: it may train or is over.
std::optional<Order> least_order(TrialState state) {
  switch (state) {
    case TrialState::paused:
    case TrialState::stopping_canceled: return Order::preempt;
    case TrialState::stopping_completed: return Order::stop;
    case TrialState::stopping_killed:
    case TrialState::stopping_error: return Order::kill;
    default: return std::nullopt;
  }
}

std::int64_t int_of(const Value& value, std::int64_t fallback) {
  return value.is_int() ? value.as_int() : fallback;
}

}  // namespace

void AttemptLaws::master_starts(Time now, const Rows& rows) {
  open_.clear();
  memory_.clear();
  failures_.clear();
  for (const auto& [id, row] : rows.allocations) {
    if (row.state == AllocationState::ended) continue;
    open_.insert(id);
    memory_[id] = {now, now};
  }
}

bool AttemptLaws::backs_off(TrialId trial, Time now, Duration slack) const {
  const auto found = failures_.find(trial);
  return found != failures_.end() && now < found->second.not_before + slack;
}

Time AttemptLaws::deadline_of(const AllocationRow& row) const {
  const Memory& memory = memory_.at(row.id);
  const MasterOptions& options = world_.options.master;
  if (is_launching(row)) return memory.since + options.prepare_timeout;
  if (row.state == AllocationState::settling) return memory.upload_moved + options.upload_timeout;
  const bool timed = row.state == AllocationState::running && row.order == Order::preempt;
  return timed ? from_ms(row.preempt_deadline_ms) : never;
}

Time AttemptLaws::next_deadline(const Rows& rows) const {
  Time next = never;
  for (const AllocationId id : open_) next = std::min(next, deadline_of(rows.allocations.at(id)));
  return next;
}

void AttemptLaws::note_uploads(const Turn& turn) {
  for (const InboxRow& row : turn.inbox) {
    if (row.kind != RecordKind::checkpoint) continue;
    const auto memory = memory_.find(row.allocation);
    if (memory != memory_.end()) memory->second.upload_moved = turn.now;
  }
}

Breach AttemptLaws::check(const Turn& turn) {
  note_uploads(turn);
  for (const AllocationRow& row : turn.writes().allocations) {
    const AllocationRow* was = Turn::find(turn.before.allocations, row.id);
    Breach breach = was == nullptr ? begins(turn, row) : changed(turn, *was, row);
    if (breach.empty()) breach = moves_on(turn, row);
    if (!breach.empty()) return cat("allocation ", row.id, ' ', breach);
    if (row.state == AllocationState::ended) open_.erase(row.id);
  }
  for (const TrialRow& trial : turn.writes().trials) {
    if (Breach breach = obeys_its_trial(turn, trial); !breach.empty()) return breach;
  }
  return turn.heard<TimerFired>() != nullptr ? deadlines_are_met(turn) : "";
}

// P4: a trial that shall not train is told so in the same step.
Breach AttemptLaws::obeys_its_trial(const Turn& turn, const TrialRow& trial) const {
  const std::optional<Order> least = least_order(trial.state);
  if (!least) return "";
  for (const AllocationId id : open_) {
    const AllocationRow& row = *turn.after(id);
    if (row.trial != trial.id || !is_open(row) || row.order >= *least) continue;
    return cat("P4: trial ", trial.id, " is ", core::to_text(trial.state), ", but allocation ", id,
               " is ordered to ", core::to_text(row.order));
  }
  return "";
}

// The beginning.

Breach AttemptLaws::begins(const Turn& turn, const AllocationRow& row) {
  open_.insert(row.id);
  memory_[row.id] = {turn.now, turn.now};
  if (Breach breach = begins_rightly(turn, row); !breach.empty()) return breach;
  return slots_are_free(turn, row);
}

Breach AttemptLaws::begins_rightly(const Turn& turn, const AllocationRow& row) const {
  const ClusterRow& cluster = turn.before.cluster;
  if (row.id.number <= cluster.last_allocation || row.id.epoch != cluster.cluster_epoch) {
    return "has an old number";
  }
  const TrialRow& trial = *turn.after(row.trial);
  const TrialRow* was = Turn::find(turn.before.trials, row.trial);
  const int attempts = was == nullptr ? 0 : was->attempts;
  if (row.attempt != attempts + 1 || trial.attempts != attempts + 1) return "is miscounted";
  if (trial.state != TrialState::active)
    return cat("is for a ", core::to_text(trial.state), " trial");
  if (row.resumed_from != trial.latest_checkpoint) return "does not resume from the latest";
  if (backs_off(row.trial, turn.now, Duration(0))) return "begins too soon after a failed start";
  for (const AllocationId id : open_) {
    const AllocationRow* other = turn.after(id);
    if (id != row.id && other->trial == row.trial && other->state != AllocationState::ended) {
      return cat("P4: begins, but allocation ", id, " of its trial has not ended");
    }
  }
  const Value& resources = turn.after(row.experiment)->config["resources"];
  std::int64_t slots = 0;
  int first_rank = 0, node_rank = 0;
  for (const AllocationNode& node : row.nodes) {
    if (node.first_rank != first_rank || node.node_rank != node_rank) return "misplaces ranks";
    slots += std::ssize(node.slot_ids);
    first_rank += ranks_of(node);
    ++node_rank;
  }
  if (row.size != first_rank) return "misses ranks";
  if (slots != int_of(resources["slots_per_trial"], 1)) return cat("P3: has ", slots, " slots");
  const bool single = resources["is_single_node"] == Value(true) || slots == 0;
  return single && row.nodes.size() > 1 ? "is spread over nodes" : "";
}

// P2, as the master decides it.
Breach AttemptLaws::slots_are_free(const Turn& turn, const AllocationRow& row) const {
  const Value& pool = turn.after(row.experiment)->config["resources"]["resource_pool"];
  for (const AllocationNode& node : row.nodes) {
    const AgentRow* agent = turn.after(node.agent);
    if (agent == nullptr || Value(agent->pool) != pool) return "is in another pool";
    if (!agents_.takes_part(node.agent, turn.before)) {
      // Its last part may have been released in this very step.
      if (!agent->connected) return cat("begins on agent ", node.agent, ", which is away");
    }
    for (const std::string& slot : node.slot_ids) {
      const bool known =
          std::any_of(agent->slots.begin(), agent->slots.end(),
                      [&](const Slot& one) { return one.id == slot && one.fault.empty(); });
      if (!known) return cat("has slot ", slot, ", which is not there or not well");
    }
  }
  for (const AllocationId id : open_) {
    const AllocationRow& other = *turn.after(id);
    if (id == row.id || other.state == AllocationState::ended) continue;
    for (const AllocationNode& theirs : other.nodes) {
      if (theirs.released) continue;
      for (const AllocationNode& ours : row.nodes) {
        if (ours.agent != theirs.agent) continue;
        const bool shared =
            std::any_of(ours.slot_ids.begin(), ours.slot_ids.end(), [&](const std::string& slot) {
              return std::count(theirs.slot_ids.begin(), theirs.slot_ids.end(), slot) > 0;
            });
        if (shared) return cat("P2: shares a slot of ", ours.agent, " with allocation ", id);
      }
    }
  }
  return "";
}

// The way.

Breach AttemptLaws::changed(const Turn& turn, const AllocationRow& was, const AllocationRow& is) {
  if (was.state == AllocationState::ended) return "has ended, but changes";
  if (is.state < was.state) return cat("goes back to ", core::to_text(is.state));
  if (was.nodes.size() != is.nodes.size() || was.trial != is.trial || was.size != is.size ||
      was.attempt != is.attempt || was.resumed_from != is.resumed_from) {
    return "changes what never changes";
  }
  for (std::size_t i = 0; i < is.nodes.size(); ++i) {
    Breach breach = node_changed(turn, is, was.nodes[i], is.nodes[i]);
    if (!breach.empty()) return breach;
  }
  if (Breach breach = order_breach(turn, was, is); !breach.empty()) return breach;
  if (Breach breach = deadline_breach(turn, was, is); !breach.empty()) return breach;
  if (is.state != was.state) memory_[is.id].since = turn.now;
  if (is_open(was) && !is_open(is)) memory_[is.id].upload_moved = turn.now;
  const bool runs = is.state == AllocationState::running;
  if (runs && was.state != is.state) failures_.erase(is.trial);
  if ((was.started_ms == 0) != (is.started_ms == 0) && is.started_ms != to_ms(turn.now)) {
    return "starts at another time than now";
  }
  if (!is_open(was) || is_open(is)) return "";
  return settled(turn, is);
}

Breach AttemptLaws::node_changed(const Turn& turn, const AllocationRow& row,
                                 const AllocationNode& was, const AllocationNode& is) const {
  if (was.agent != is.agent || was.slot_ids != is.slot_ids || was.first_rank != is.first_rank) {
    return "moves";
  }
  if (is.phase < was.phase) return cat("on ", is.agent, " goes back to ", core::to_text(is.phase));
  if (was.released && !is.released) return cat("on ", is.agent, " is held again");
  if (was.given_up && !is.given_up) return cat("on ", is.agent, " is waited for again");
  const bool recovers = turn.event == nullptr;
  if (is.given_up && !was.given_up && !recovers && !agents_.may_give_up(is.agent)) {
    return cat("P4: on ", is.agent, " is given up, though its lease may live");
  }
  if (is.released && !is.given_up && is.phase < AllocationPhase::ended) {
    return cat("P2: on ", is.agent, " is released, but is ", core::to_text(is.phase));
  }
  if (is.phase >= AllocationPhase::ended && !is.released) return "keeps slots that nobody uses";
  if (is.exits.size() < was.exits.size()) return "forgets an exit";
  for (const RankExit& exit : is.exits) {
    const RankExit* recorded = words_.exit_of({row.id, exit.rank});
    if (recorded == nullptr || *recorded != exit) {
      return cat("has an exit of rank ", exit.rank, " that its shim did not record");
    }
  }
  for (const int rank : is.exits_read) {
    const bool known = std::any_of(is.exits.begin(), is.exits.end(),
                                   [&](const RankExit& exit) { return exit.rank == rank; });
    if (!known) return cat("has read an exit of rank ", rank, " that it does not have");
  }
  return "";
}

Breach AttemptLaws::order_breach(const Turn& turn, const AllocationRow& was,
                                 const AllocationRow& is) const {
  if (is.order < was.order) return cat("is ordered back to ", core::to_text(is.order));
  if (is.order == was.order) return "";
  const bool was_ready = std::all_of(is.nodes.begin(), is.nodes.end(), [](const auto& node) {
    return node.phase >= AllocationPhase::ready;
  });
  if ((is.order == Order::start || is.order == Order::run) && !was_ready) {
    return "P3: starts before all of its nodes are ready";
  }
  if (is.order == Order::run && !std::all_of(is.nodes.begin(), is.nodes.end(),
                                             [](const auto& node) { return has_run(node); })) {
    return "runs before all of its nodes run";
  }
  if (is.order == Order::stop && !turn.after(is.trial)->stopped_by_searcher) {
    return "is stopped, but its search did not say so";
  }
  if (is.order == Order::preempt && is.state < AllocationState::running) {
    return "is preempted before it runs";
  }
  return is.order == Order::kill && is_open(is) ? kill_has_reason(turn, was, is) : "";
}

Breach AttemptLaws::kill_has_reason(const Turn& turn, const AllocationRow& was,
                                    const AllocationRow& is) const {
  const TrialRow& trial = *turn.after(is.trial);
  const bool person =
      trial.state == TrialState::stopping_killed || trial.state == TrialState::stopping_error;
  const ExperimentState experiment = turn.after(is.experiment)->state;
  const bool ends = experiment == ExperimentState::stopping_killed ||
                    experiment == ExperimentState::stopping_error;
  const bool withdrawn = is.preempt_deadline_ms > 0 && was.state < AllocationState::running;
  const bool late = turn.heard<TimerFired>() != nullptr && deadline_of(was) <= turn.now;
  const bool recovers = turn.event == nullptr;
  if (person || ends || withdrawn || late || recovers || is_broken(is)) return "";
  return "is killed for no reason";
}

Breach AttemptLaws::deadline_breach(const Turn& turn, const AllocationRow& was,
                                    const AllocationRow& is) const {
  if (is.preempt_deadline_ms == was.preempt_deadline_ms) {
    const bool untold = is.order == Order::preempt && is.preempt_deadline_ms == 0;
    return untold ? "is preempted without a deadline" : "";
  }
  if (was.preempt_deadline_ms != 0) return "gets another deadline";
  if (is.order < Order::preempt) return "has a deadline, but no order";
  const Value& config = turn.after(is.experiment)->config;
  const std::int64_t timeout_s = int_of(config["preemption_timeout"], 3600);
  const bool at_once = is.preempt_deadline_ms == to_ms(turn.now);
  const bool in_time = is.preempt_deadline_ms == to_ms(turn.now) + timeout_s * 1000;
  const bool ran = was.state == AllocationState::running;
  const bool begins_to_run = !ran && is.started_ms > 0;  // in this step
  return (ran ? in_time : at_once) || (begins_to_run && in_time) ? "" : "gets a wrong deadline";
}

// What must follow at once from what the row says.
Breach AttemptLaws::moves_on(const Turn& turn, const AllocationRow& row) const {
  if (!is_open(row)) {
    if (row.state == AllocationState::ended) {
      return row.ended_ms == to_ms(turn.now) ? "" : "ends at another time than now";
    }
    return "";
  }
  if (is_settled(row)) return "is not judged, though all is known";
  if (is_broken(row) && !all_released(row) && row.order != Order::kill) {
    return "P3: is broken, but the others are not ended";
  }
  for (const AllocationNode& node : row.nodes) {
    const bool left = std::any_of(node.exits.begin(), node.exits.end(), was_preempted);
    const bool told = row.order >= Order::preempt || is_broken(row);  // a failure outranks it
    if (left && !told) return "P3: was left by a rank, but is not withdrawn";
  }
  const bool ready = std::all_of(row.nodes.begin(), row.nodes.end(), [](const auto& node) {
    return !node.released && node.phase >= AllocationPhase::ready;
  });
  if (ready && row.order == Order::prepare) return "P6: is ready, but does not start";
  const bool runs = std::all_of(row.nodes.begin(), row.nodes.end(),
                                [](const auto& node) { return has_run(node); });
  return runs && row.state == AllocationState::starting ? "runs, but is called starting" : "";
}

// The end.

Breach AttemptLaws::settled(const Turn& turn, const AllocationRow& row) {
  if (!is_settled(row)) return "P1: is judged before all is known";
  if (Breach breach = unread(turn, row); !breach.empty()) return breach;
  const TrialRow* was = Turn::find(turn.before.trials, row.trial);
  if (was == nullptr || is_over(was->state)) return "is judged for a trial that is over";
  const TrialRow& is = *turn.after(row.trial);
  const EndOf end = judge(*was, is.stopped_by_searcher, row);
  Breach breach = trial_after(turn, end, row);
  if (breach.empty()) return "";
  return cat(breach, " (outcome \"", row.outcome, "\", trial ", row.trial, " is ",
             core::to_text(is.state), ", ", is.restarts, " restarts)");
}

// P1: the records before an exit are read before it is judged.
Breach AttemptLaws::unread(const Turn& turn, const AllocationRow& row) const {
  const auto& consumed = turn.writes().consumed;
  for (const auto& [id, inbox] : world_.database.rows().inbox) {
    if (inbox.allocation != row.id || inbox.part_stored) continue;
    if (world_.checkers.is_consumed(id) ||
        std::find(consumed.begin(), consumed.end(), id) != consumed.end()) {
      continue;
    }
    for (const AllocationNode& node : row.nodes) {
      const bool here = inbox.stream >= node.first_rank &&
                        inbox.stream < node.first_rank + ranks_of(node) && !node.given_up;
      const bool lost = node.phase == AllocationPhase::lost;
      if (here && !lost) {
        return cat("P1: is judged before the ", core::to_text(inbox.kind), " of rank ",
                   inbox.stream, " is read");
      }
    }
  }
  return "";
}

Breach AttemptLaws::trial_after(const Turn& turn, EndOf end, const AllocationRow& row) {
  const TrialRow& was = turn.before.trials.at(row.trial);
  const TrialRow& is = *turn.after(row.trial);
  const Value& config = turn.after(row.experiment)->config;
  const bool counted = is.restarts == was.restarts + 1;
  if (end != EndOf::failed && counted) return "costs a restart, but is no failure";
  const auto ends_as = [&](TrialState state) {
    return is.state == state ? "" : cat("should end its trial as ", core::to_text(state));
  };
  switch (end) {
    case EndOf::stopped:
    case EndOf::invalid: return ends_as(TrialState::completed);
    case EndOf::canceled: return ends_as(TrialState::canceled);
    case EndOf::errored: return ends_as(TrialState::error);
    case EndOf::preempted:
      if (is_over(is.state)) return "was preempted, but ends its trial";
      if (row.started_ms == 0 && is.state == TrialState::active) {
        const int withdrawals = ++failures_[row.trial].withdrawals;
        if (withdrawals > 1) must_wait(row.trial, withdrawals - 1, turn.now);
      }
      return "";
    case EndOf::infrastructure: return failure_counts(turn, row);
    case EndOf::completed: {
      if (is.latest_metric) return ends_as(TrialState::completed);
      const bool single = config["searcher"]["name"] == Value("single");
      if (!single) return ends_as(TrialState::error);
      return is_over(is.state) ? "" : "is complete, but does not end its trial";
    }
    case EndOf::failed: break;
  }
  if (was.restarts >= int_of(config["max_restarts"], 5)) return ends_as(TrialState::error);
  if (is_over(is.state)) return "P7: ends its trial, which may be restarted";
  return counted ? "" : "fails, but costs no restart";
}

// 1, 2, 4 … 60 s.
void AttemptLaws::must_wait(TrialId trial, int times, Time now) {
  const std::int64_t wait_s = times > 6 ? 60 : std::int64_t{1} << (times - 1);
  failures_[trial].not_before = now + Duration(std::min<std::int64_t>(wait_s, 60) * 1000);
}

Breach AttemptLaws::failure_counts(const Turn& turn, const AllocationRow& row) {
  const bool over = is_over(turn.after(row.trial)->state);
  if (row.started_ms > 0) return over ? "ran and was lost, but ends its trial" : "";
  Failures& failures = failures_[row.trial];
  if (++failures.count >= failures_most) return over ? "" : "fails to start for ever";
  must_wait(row.trial, failures.count, turn.now);
  return over ? "could not start, and ends its trial too soon" : "";
}

// P6: no deadline passes unseen.
Breach AttemptLaws::deadlines_are_met(const Turn& turn) const {
  for (const AllocationId id : open_) {
    const AllocationRow* row = turn.after(id);
    const Time deadline = deadline_of(*row);
    if (turn.now < deadline) continue;
    return cat("P6: allocation ", id, " is ", core::to_text(row->state), " with order ",
               core::to_text(row->order), ", past its deadline");
  }
  return "";
}

}  // namespace dt::sim
