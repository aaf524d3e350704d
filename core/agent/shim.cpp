#include "core/agent/shim.h"

#include <algorithm>
#include <utility>

#include "base/cat.h"

namespace dt::core::shim {
namespace {

constexpr int exit_preempted = 75;
constexpr int exit_not_started = 127;  // as a shell says it

std::string describe(const RankExit& exit) {
  if (exit.out_of_memory) return cat("rank ", exit.rank, " was killed for want of memory");
  if (exit.signal != 0) return cat("rank ", exit.rank, " was ended by signal ", exit.signal);
  return cat("rank ", exit.rank, " ended with exit code ", exit.code);
}

}  // namespace

bool is_failure(const RankExit& exit) {
  if (exit.code == 0 || exit.code == exit_preempted) return false;
  const bool by_signal = exit.code == 128 + signal_kill || exit.code == 128 + signal_terminate;
  return !(exit.ordered != Order::run && by_signal);
}

Brain::Brain(Options options) : options_(std::move(options)) {
  for (const int rank : options_.ranks) ranks_[rank];
}

Actions Brain::step(Time now, const Event& event) {
  Actions out;
  if (finished_) return out;
  sync_due_ = status_due_ = false;
  std::visit([&](const auto& said) { on(now, said, out); }, event);
  run_timers(now, out);
  finish_if_done();
  if (sync_due_) out.push_back(Sync{});
  if (status_due_) out.push_back(ReportStatus{});
  if (finished_) out.push_back(Finish{});
  wake_when_due(now, out);
  return out;
}

AllocationStatus Brain::status() const {
  return {.allocation = options_.allocation,
          .phase = phase_,
          .address = port_ != 0 ? options_.address : "",
          .port = port_,
          .exits = exits_,
          .failure = failure_,
          .infrastructure = infrastructure_};
}

std::int64_t Brain::last_safe_rank_seq(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? 0 : found->second.safe_seq;
}

// Before the ranks start.

void Brain::on(Time, const Opened&, Actions& out) {
  if (killing_ || std::exchange(opened_, true)) return;
  status_due_ = true;
  if (options_.has_prepare) {
    out.push_back(RunPrepare{});
  } else {
    prepared(out);
  }
}

void Brain::on(Time, const PrepareEnded& event, Actions& out) {
  if (killing_ || phase_ != AllocationPhase::preparing) return;
  if (event.code == 0) return prepared(out);
  if (event.infrastructure) return fail_before_start(event.reason, true, out);
  const std::string reason = event.reason.empty() ? "" : cat(": ", event.reason);
  fail_before_start(cat("prepare failed with exit code ", event.code, reason), false, out);
}

void Brain::prepared(Actions& out) {
  if (options_.binds_port) {
    out.push_back(BindPort{});
  } else {
    become_ready();
  }
}

void Brain::on(Time, const PortBound& event, Actions&) {
  if (killing_ || phase_ != AllocationPhase::preparing) return;
  port_ = event.port;
  become_ready();
}

void Brain::on(Time, const PortFailed& event, Actions& out) {
  if (killing_ || phase_ != AllocationPhase::preparing) return;
  fail_before_start(event.reason, true, out);
}

void Brain::become_ready() {
  phase_ = AllocationPhase::ready;
  status_due_ = true;
}

void Brain::fail_before_start(const std::string& reason, bool infrastructure, Actions& out) {
  failure_ = reason;
  infrastructure_ = infrastructure;
  note(reason, out);
  kill_tree(out);
}

bool Brain::end_if_not_started(const char* order, Actions& out) {
  if (phase_ != AllocationPhase::preparing && phase_ != AllocationPhase::ready) return false;
  // The master gave the order, so it costs the trial no restart.
  if (!killing_) fail_before_start(cat(order, " before its ranks started"), true, out);
  return true;
}

void Brain::on(Time, const StartOrdered& event, Actions& out) {
  if (killing_ || phase_ != AllocationPhase::ready) return;
  phase_ = AllocationPhase::running;
  status_due_ = true;
  if (!event.environment.is_null()) {
    append(node_stream(options_.node_rank), RecordKind::environment, 0, event.environment, out);
  }
  for (auto& [number, rank] : ranks_) {
    rank.state = RankState::starting;
    out.push_back(SpawnRank{number});
  }
  if (all_ended()) kill_tree(out);  // a node without ranks
}

// Orders and the lease.

void Brain::on(Time now, const PreemptOrdered& event, Actions& out) {
  if (order_ == Order::stop || order_ == Order::kill) return;
  if (end_if_not_started("preempted", out)) return;
  preempt(now, now + event.left, out);
}

// Repeated orders only ever bring the deadline forward.
void Brain::preempt(Time now, Time deadline, Actions& out) {
  kill_at_ = std::min(kill_at_, deadline);
  if (order_ != Order::run) return;
  order_ = Order::preempt;
  preempt_deadline_ = deadline;
  for (const auto& [number, rank] : ranks_) {
    if (!is_alive(rank)) continue;
    if (rank.spoke) {
      out.push_back(TellPreempt{number, deadline - now});
    } else {
      out.push_back(SignalRank{number, signal_terminate});
    }
  }
}

void Brain::on(Time now, const StopOrdered&, Actions& out) {
  if (order_ == Order::stop || order_ == Order::kill) return;
  if (end_if_not_started("stopped", out)) return;
  order_ = Order::stop;
  kill_at_ = std::min(kill_at_, now + options_.kill_grace);
  for (const auto& [number, rank] : ranks_) {
    if (!is_alive(rank)) continue;
    if (rank.spoke) {
      out.push_back(TellStop{number});
    } else {
      out.push_back(SignalRank{number, signal_terminate});
    }
  }
}

// After a preempt it is their deadline: the master watches it too.
void Brain::on(Time, const KillOrdered&, Actions& out) {
  if (order_ == Order::preempt || order_ == Order::stop) name_reluctant(out);
  order_ = Order::kill;
  if (!end_if_not_started("killed", out)) kill_tree(out);
}

void Brain::on(Time, const Interrupted& event, Actions& out) {
  if (killing_) return;
  if (phase_ != AllocationPhase::running) return fail_before_start(event.reason, true, out);
  if (order_ == Order::run) order_ = Order::preempt;  // as at a lease's end
  note(event.reason, out);
  kill_tree(out);
}

void Brain::on(Time, const LeaseExtended& event, Actions&) {
  if (lease_ended_) return;  // too late: its ranks are being ended
  checkpoint_at_ = event.checkpoint_at;
  lease_deadline_ = event.deadline;
}

void Brain::on(Time, const Woke&, Actions&) {}  // run_timers() looks at every step

void Brain::run_timers(Time now, Actions& out) {
  if (killing_) return;
  if (now >= checkpoint_at_) ask_to_checkpoint(now, out);
  if (now >= lease_deadline_) end_lease(now, out);
  if (now < kill_at_) return;
  name_reluctant(out);
  kill_tree(out);
}

// Whose last steps are lost, and whose program is to be looked at.
void Brain::name_reluctant(Actions& out) {
  if (killing_) return;
  const char* asked = order_ == Order::run ? "SIGTERM" : to_text(order_);
  for (const auto& [number, rank] : ranks_) {
    if (is_alive(rank)) note(cat("rank ", number, " did not end on ", asked, ": killed"), out);
  }
}

// A program that cannot be asked trains on to the lease's end.
void Brain::ask_to_checkpoint(Time now, Actions& out) {
  const bool any_spoke = std::any_of(ranks_.begin(), ranks_.end(), [&](const auto& entry) {
    return is_alive(entry.second) && entry.second.spoke;
  });
  if (!any_spoke || order_ != Order::run) return;
  note("no word from the master: the ranks are asked to checkpoint", out);
  order_ = Order::preempt;
  preempt_deadline_ = lease_deadline_;
  kill_at_ = std::min(kill_at_, lease_deadline_);
  for (const auto& [number, rank] : ranks_) {
    if (!is_alive(rank) || !rank.spoke) continue;
    out.push_back(TellPreempt{number, std::max(lease_deadline_, now) - now});
  }
}

void Brain::end_lease(Time now, Actions& out) {
  if (lease_ended_) return;
  lease_ended_ = true;
  const std::string reason = "the lease ended without a word from the master";
  if (phase_ != AllocationPhase::running) return fail_before_start(reason, true, out);
  // To the master it is as if they had been preempted: it costs the trial no restart.
  if (order_ == Order::run) order_ = Order::preempt;
  note(reason, out);
  signal_alive(signal_terminate, out);
  kill_at_ = std::min(kill_at_, now + options_.kill_grace);
}

// Ranks.

void Brain::on(Time, const RankSpawned& event, Actions& out) {
  const auto found = ranks_.find(event.rank);
  if (found == ranks_.end()) return;
  if (found->second.state == RankState::starting) found->second.state = RankState::running;
  // It came to life after its end was decided.
  if (killing_ || !is_alive(found->second)) out.push_back(SignalRank{event.rank, signal_kill});
}

void Brain::on(Time now, const SpawnFailed& event, Actions& out) {
  const auto found = ranks_.find(event.rank);
  if (found == ranks_.end() || !is_alive(found->second)) return;
  append(event.rank, RecordKind::log, 0, Value::Object{{"output", "shim"}, {"text", event.reason}},
         out);
  end_rank(now, {event.rank, exit_not_started, 0}, out);
}

void Brain::on(Time now, const RankConnected& event, Actions& out) {
  const auto found = ranks_.find(event.rank);
  if (found == ranks_.end() || found->second.state == RankState::ended) return;
  if (!found->second.spoke) {
    found->second.spoke = true;
    append(event.rank, RecordKind::hello, 0, event.hello, out);
  }
  if (order_ == Order::preempt) {
    const Time deadline = std::max(preempt_deadline_, now);
    out.push_back(TellPreempt{event.rank, deadline - now});
  }
  if (order_ == Order::stop) out.push_back(TellStop{event.rank});
}

void Brain::on(Time, const RankSaid& event, Actions& out) {
  const auto found = ranks_.find(event.rank);
  if (found == ranks_.end() || found->second.state == RankState::ended) return;
  Rank& rank = found->second;
  if (event.rank_seq <= rank.accepted_seq) {  // sent again after a reconnect
    if (event.rank_seq <= rank.safe_seq) out.push_back(Acknowledge{event.rank, rank.safe_seq});
    return;
  }
  rank.accepted_seq = event.rank_seq;
  append(event.rank, event.kind, event.rank_seq, event.body, out);
  unsafe_.push_back({appended_, event.rank, event.rank_seq});
}

void Brain::on(Time, const RankPrinted& event, Actions& out) {
  const auto rank = ranks_.find(event.stream);
  // A rank's exit is the last record of its stream, whatever its daemons still print.
  if (rank != ranks_.end() && rank->second.state == RankState::ended) return;
  append(event.stream, RecordKind::log, 0,
         Value::Object{{"output", event.output}, {"text", event.text}}, out);
}

void Brain::on(Time now, const RankEnded& event, Actions& out) {
  end_rank(now, event, out);
}

void Brain::end_rank(Time now, const RankEnded& end, Actions& out) {
  const auto found = ranks_.find(end.rank);
  if (found == ranks_.end() || !is_alive(found->second)) return;
  found->second.state = RankState::ended;
  RankExit exit{.rank = end.rank,
                .code = end.code,
                .signal = end.signal,
                .ordered = order_,
                .out_of_memory = end.out_of_memory};
  Value body = Value::Object{{"code", end.code},
                             {"signal", end.signal},
                             {"ordered", to_text(order_)},
                             {"ended_boot_ms", to_ms(now)}};
  if (end.out_of_memory) body.set("out_of_memory", true);
  append(end.rank, RecordKind::exit, 0, std::move(body), out);
  exit.seq = last_seq_[end.rank];
  exits_.push_back(exit);
  status_due_ = true;
  if (is_failure(exit) && !peers_ended_ && !killing_) end_peers(now, exit, out);
  if (all_ended()) kill_tree(out);  // daemons that it left behind
}

void Brain::end_peers(Time now, const RankExit& first, Actions& out) {
  peers_ended_ = true;
  if (all_ended()) return;
  note(cat(describe(first), "; the other ranks are ended"), out);
  signal_alive(signal_terminate, out);
  kill_at_ = std::min(kill_at_, now + options_.peer_grace);
}

void Brain::signal_alive(int signal, Actions& out) {
  for (const auto& [number, rank] : ranks_) {
    if (is_alive(rank)) out.push_back(SignalRank{number, signal});
  }
}

bool Brain::is_alive(const Rank& rank) const {
  return rank.state == RankState::starting || rank.state == RankState::running;
}

bool Brain::all_ended() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [](const auto& entry) { return entry.second.state == RankState::ended; });
}

// The end.

void Brain::kill_tree(Actions& out) {
  if (killing_) return;
  killing_ = true;
  out.push_back(KillTree{});
}

void Brain::on(Time now, const TreeEnded&, Actions& out) {
  if (!killing_) return;
  tree_ended_ = true;
  for (const auto& [number, rank] : ranks_) {
    if (is_alive(rank)) end_rank(now, {number, 128 + signal_kill, signal_kill}, out);
  }
}

void Brain::on(Time, const Synced& event, Actions& out) {
  synced_ = std::max(synced_, event.appended);
  std::map<int, std::int64_t> safe;
  const auto still_unsafe = std::find_if(unsafe_.begin(), unsafe_.end(),
                                         [&](const Unsafe& one) { return one.appended > synced_; });
  for (auto it = unsafe_.begin(); it != still_unsafe; ++it) safe[it->rank] = it->rank_seq;
  unsafe_.erase(unsafe_.begin(), still_unsafe);
  for (const auto& [number, rank_seq] : safe) {
    ranks_[number].safe_seq = rank_seq;
    out.push_back(Acknowledge{number, rank_seq});
  }
}

void Brain::finish_if_done() {
  if (!tree_ended_ || synced_ < appended_) return;
  phase_ = AllocationPhase::ended;
  finished_ = status_due_ = true;
}

// Bookkeeping.

void Brain::append(int stream, RecordKind kind, std::int64_t rank_seq, Value body, Actions& out) {
  ++appended_;
  sync_due_ = true;
  out.push_back(Append{{.stream = stream,
                        .seq = ++last_seq_[stream],
                        .kind = kind,
                        .rank_seq = rank_seq,
                        .body = std::move(body)}});
}

void Brain::note(const std::string& text, Actions& out) {
  append(node_stream(options_.node_rank), RecordKind::log, 0,
         Value::Object{{"output", "shim"}, {"text", text}}, out);
}

Time Brain::next_due(Time now) const {
  if (killing_) return never;
  Time due = kill_at_;
  if (!lease_ended_) due = std::min(due, lease_deadline_);
  if (order_ == Order::run && now < checkpoint_at_) due = std::min(due, checkpoint_at_);
  return due;
}

void Brain::wake_when_due(Time now, Actions& out) {
  const Time due = next_due(now);
  if (due == announced_wake_) return;
  announced_wake_ = due;
  if (due != never) out.push_back(WakeAt{due});
}

}  // namespace dt::core::shim
