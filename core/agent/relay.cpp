#include "core/agent/relay.h"

#include <algorithm>

namespace dt::core::relay {

namespace {

constexpr Duration drain_at_shutdown{5'000};  // for the last records, after everything has ended

}  // namespace

Actions Brain::step(Time now, const Event& event) {
  now_ = now;
  std::visit([this](const auto& happened) { on(happened); }, event);
  look_at_held();
  speak();
  shut_down();
  arm();
  return std::exchange(actions_, {});
}

std::vector<AllocationStatus> Brain::allocations() const {
  std::vector<AllocationStatus> statuses;
  // Also what is over and only kept: a master that lost commits names its marks for what is listed.
  for (const auto& [id, held] : held_) statuses.push_back(held.status);
  return statuses;
}

const Marks* Brain::marks(const AllocationId& allocation) const {
  const auto found = held_.find(allocation);
  return found == held_.end() ? nullptr : &found->second.outbox.marks();
}

Brain::Held* Brain::find(const AllocationId& allocation) {
  const auto found = held_.find(allocation);
  return found == held_.end() ? nullptr : &found->second;
}

Brain::Held& Brain::hold(Held held) {
  const AllocationId id = held.status.allocation;
  return held_.insert_or_assign(id, std::move(held)).first->second;
}

// The link.

void Brain::on(const Connected&) {
  disconnect();
  connected_ = true;
  lease_ = Lease();  // proven anew by the first answer to a heartbeat of this link
}

void Brain::on(const Disconnected&) { disconnect(); }
void Brain::on(const Refused&) { disconnect(); }

void Brain::disconnect() {
  connected_ = obeying_ = false;
  session_ = 0;
  next_heartbeat_ = Time::min();
}

bool Brain::is_from_our_cluster(const Answer& answer) const {
  if (options_.cluster_id.empty()) return true;
  return answer.cluster_id == options_.cluster_id && answer.cluster_epoch >= options_.cluster_epoch;
}

void Brain::remember(const Answer& answer) {
  const Options before = options_;
  options_.cluster_id = answer.cluster_id;
  options_.cluster_epoch = answer.cluster_epoch;
  options_.batch_seen = std::max(options_.batch_seen, answer.batch);
  if (options_ == before) return;
  say(Remember{options_.cluster_id, options_.cluster_epoch, options_.batch_seen});
}

void Brain::on(const Answered& event) {
  const Answer& answer = event.answer;
  if (!connected_ || !is_from_our_cluster(answer)) return;
  remember(answer);
  session_ = answer.session;
  obeying_ = true;
  lease_.answered(answer);
  next_heartbeat_ = std::min(next_heartbeat_, now_ + heartbeat_period(lease_.length()));
  follow(answer);
  for (auto& [id, held] : held_) {
    extend_lease(held);  // first: whoever starts has a lease
    tell(held);
  }
}

// Allocations follow the wanted set.

void Brain::follow(const Answer& answer) {
  for (auto& [id, held] : held_) held.wanted = false;
  for (const Wanted& wanted : answer.wanted) want(wanted);
  for (auto& [id, held] : held_) {
    if (!held.wanted) held.order = Order::kill;
  }
}

void Brain::want(const Wanted& wanted) {
  Held* held = find(wanted.allocation);
  if (held == nullptr && shutting_down_) return;
  if (held == nullptr && wanted.order == Order::prepare && wanted.assignment) {
    hold({.status = {.allocation = wanted.allocation},
          .stage = Stage::fetching,
          .order = Order::prepare,
          .outbox = Outbox(options_.retry)});
    say(Prepare{wanted.allocation, *wanted.assignment});
    return;
  }
  if (held == nullptr) {
    hold({.status = {.allocation = wanted.allocation,
                     .phase = AllocationPhase::lost,
                     .failure = "the agent holds nothing of it",
                     .infrastructure = true},
          .stage = Stage::over,
          .has_folder = false,
          .outbox = Outbox(options_.retry)});
    return;
  }
  held->wanted = true;
  if (wanted.order != Order::preempt) held->preempt_deadline = never;
  if (wanted.order == Order::preempt) {
    held->preempt_deadline = std::min(held->preempt_deadline, now_ + wanted.preempt_left);
  }
  held->order = wanted.order;
  if (wanted.table) held->table = wanted.table;
}

// Level-triggered: an order is told again as long as it is wanted; shims take repeats.
void Brain::tell(Held& held) {
  const AllocationId id = held.status.allocation;
  const Order order = shutting_down_ ? Order::kill : held.order;
  const bool ends = order == Order::preempt || order == Order::stop || order == Order::kill;
  if (held.stage == Stage::fetching && ends) say(TellShim{id, Order::kill});  // nothing runs yet
  if (held.stage != Stage::living) return;
  // Ranks that start before any lease is known would outlive the master's patience. The answer to
  // the first heartbeat brings both.
  const bool may_start = held.table && lease_.is_known();
  if (order == Order::start && may_start && held.status.phase == AllocationPhase::ready) {
    say(StartRanks{id, *held.table});
  }
  if (!ends) return;
  const bool timed = order == Order::preempt;
  const Duration left = timed ? std::max(held.preempt_deadline - now_, Duration(0)) : Duration(0);
  say(TellShim{id, order, left});
}

// An agent that has just started knows no lease: its shims keep the one that they have.
void Brain::extend_lease(Held& held) {
  if (!lease_.is_known()) return;
  if (held.stage != Stage::living || !obeying_ || lease_.deadline() == held.told_deadline) return;
  held.told_deadline = lease_.deadline();
  say(ExtendLease{held.status.allocation, lease_.checkpoint_at(), lease_.deadline()});
}

void Brain::on(const Reattached& event) {
  const AllocationPhase phase = event.status.phase;
  const bool over = phase == AllocationPhase::ended || phase == AllocationPhase::lost;
  hold({.status = event.status,
        .stage = over ? Stage::over : Stage::living,
        .outbox = Outbox(options_.retry, event.acknowledged, now_)});
}

void Brain::on(const Prepared& event) {
  Held* held = find(event.allocation);
  if (held == nullptr || held->stage != Stage::fetching) return;
  held->stage = Stage::living;
  tell(*held);
}

void Brain::on(const PrepareFailed& event) {
  Held* held = find(event.allocation);
  if (held == nullptr || held->stage != Stage::fetching) return;
  held->stage = Stage::over;
  held->status.phase = AllocationPhase::ended;
  held->status.failure = event.reason;
  held->status.infrastructure = event.infrastructure;
  held->outbox.grew();
}

void Brain::on(const ShimSaid& event) {
  Held* held = find(event.status.allocation);
  if (held == nullptr) return;
  if (held->stage != Stage::living && held->stage != Stage::fetching) return;
  const bool was_ready = held->status.phase == AllocationPhase::ready;
  held->stage = Stage::living;
  held->status = event.status;
  held->outbox.grew();
  if (event.status.phase == AllocationPhase::ended) {
    held->stage = Stage::over;
    const bool ours = shutting_down_ && held->order != Order::kill;
    if (ours && held->status.failure.empty()) {
      held->status.failure = "the agent was shut down";
      held->status.infrastructure = true;
    }
    return;
  }
  if (event.first) held->told_deadline = Time::min();
  extend_lease(*held);
  if (event.first || (!was_ready && held->status.phase == AllocationPhase::ready)) tell(*held);
}

void Brain::on(const ShimGone& event) {
  Held* held = find(event.allocation);
  if (held == nullptr) return;
  if (held->stage != Stage::living && held->stage != Stage::fetching) return;
  held->stage = Stage::clearing;
  say(ClearRemains{event.allocation});
}

void Brain::on(const RemainsCleared& event) {
  Held* held = find(event.allocation);
  if (held == nullptr || held->stage != Stage::clearing) return;
  held->stage = Stage::draining;
  held->outbox.grew();
}

// Spools and checkpoints.

void Brain::on(const SpoolRead& event) {
  Held* held = find(event.allocation);
  if (held == nullptr) return;
  std::vector<Record> records = held->outbox.read(event.records, event.at_end);
  if (!records.empty()) say(SendRecords{event.allocation, std::move(records)});
}

void Brain::on(const Acknowledged& event) {
  if (Held* held = find(event.allocation)) held->outbox.acknowledged(event.marks, now_);
}

void Brain::on(const SendFailed& event) {
  if (Held* held = find(event.allocation)) held->outbox.failed(now_);
}

void Brain::on(const MarksNamed& event) {
  if (Held* held = find(event.allocation)) held->outbox.named(event.marks);
}

void Brain::on(const PartStored& event) {
  if (Held* held = find(event.allocation)) held->outbox.stored(event.checkpoint, event.part);
}

void Brain::on(const PartFailed& event) {
  Held* held = find(event.allocation);
  if (held == nullptr) return;
  held->outbox.part_failed(event.checkpoint, event.part, event.retry, now_);
}

// In one pass, since it is done at every event, and most concern one allocation alone.
void Brain::look_at_held() {
  is_news_ = false;
  next_look_ = never;
  if (!obeying_) return;
  auto told = told_.begin();
  for (auto it = held_.begin(); it != held_.end();) {
    Held& held = it->second;
    relay(held);
    if (is_settled(held)) {
      if (held.has_folder) say(RemoveFolder{it->first});
      it = held_.erase(it);
      continue;
    }
    const bool as_told = told != told_.end() && *told == held.status;
    is_news_ = is_news_ || !as_told;
    if (told != told_.end()) ++told;
    next_look_ = std::min(next_look_, next_look(held));
    ++it;
  }
  is_news_ = is_news_ || told != told_.end();
}

void Brain::relay(Held& held) {
  const AllocationId id = held.status.allocation;
  if (!held.has_folder || held.stage == Stage::fetching) return;
  if (auto from = held.outbox.start_reading(now_)) say(ReadSpool{id, std::move(*from)});
  for (Part& part : held.outbox.start_uploads(now_)) {
    say(UploadPart{id, part.checkpoint, part.part, std::move(part.files)});
  }
  if (held.stage != Stage::draining || !held.outbox.drained()) return;
  held.stage = Stage::over;
  held.status.phase = AllocationPhase::lost;
  held.status.failure = "its shim died";
  held.status.infrastructure = true;
}

// A spool is kept for a while after it was acknowledged: a master whose database lost commits
// names lower marks and gets the records again.
bool Brain::is_settled(const Held& held) const {
  const bool needed = held.wanted || held.stage != Stage::over ||
                      (held.has_folder && (!held.outbox.drained() || !held.outbox.uploaded()));
  return !needed && now_ >= held.outbox.kept_until(options_.keep_acknowledged);
}

Time Brain::next_look(const Held& held) const {
  const Time retry = held.outbox.next_retry();
  if (held.wanted || held.stage != Stage::over) return retry;
  const Time kept = held.outbox.kept_until(options_.keep_acknowledged);
  return kept > now_ ? std::min(retry, kept) : retry;
}

// Heartbeats, shutdown, timers.

void Brain::speak() {
  if (!obeying_ || left_) return;
  if (now_ < next_heartbeat_ && !is_news_ && slot_faults_ == told_faults_) return;
  told_ = allocations();
  told_faults_ = slot_faults_;
  ++heartbeats_;
  lease_.heartbeat_sent(heartbeats_, now_);
  next_heartbeat_ = now_ + heartbeat_period(lease_.length());
  say(SendHeartbeat{{.agent = options_.agent,
                     .session = session_,
                     .number = heartbeats_,
                     .batch_seen = options_.batch_seen,
                     .allocations = told_,
                     .slot_faults = slot_faults_}});
}

void Brain::on(const SlotsChecked& event) { slot_faults_ = event.faults; }

void Brain::on(const ShutdownOrdered&) {
  if (shutting_down_) return;
  shutting_down_ = true;
  shutdown_deadline_ = now_ + 3 * kill_grace;  // shims that do not answer are left to their leases
  for (auto& [id, held] : held_) tell(held);
}

void Brain::shut_down() {
  if (!shutting_down_ || left_) return;
  const auto ended = [](const auto& entry) {
    return entry.second.stage == Stage::over || entry.second.stage == Stage::draining;
  };
  const bool all_ended = std::all_of(held_.begin(), held_.end(), ended);
  const auto drained = [](const auto& entry) {
    return !entry.second.has_folder || entry.second.outbox.drained();
  };
  const bool all_drained = !obeying_ || std::all_of(held_.begin(), held_.end(), drained);
  if (all_ended) shutdown_deadline_ = std::min(shutdown_deadline_, now_ + drain_at_shutdown);
  if (now_ < shutdown_deadline_ && !(all_ended && all_drained)) return;
  left_ = true;
  if (obeying_) {
    say(SendHeartbeat{{.agent = options_.agent,
                       .session = session_,
                       .number = ++heartbeats_,
                       .batch_seen = options_.batch_seen,
                       .allocations = allocations(),
                       .slot_faults = slot_faults_,
                       .leaving = all_ended}});
  }
  say(Leave{});
}

void Brain::on(const Woke&) { armed_ = never; }

void Brain::arm() {
  Time next = shutting_down_ && !left_ ? shutdown_deadline_ : never;
  if (obeying_ && !left_) next = std::min(next, next_heartbeat_);
  next = std::min(next, next_look_);
  if (next >= armed_) return;
  armed_ = next;
  say(WakeAt{next});
}

}  // namespace dt::core::relay
