#include "sim/master_process.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/master/writes.h"
#include "sim/compare.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: events and actions are this file's words

constexpr std::size_t batch_events_most = 64;
constexpr Duration database_retry{200};
constexpr std::int64_t batches_between_comparisons = 500;  // and more in a larger world
constexpr std::int64_t batches_per_trial = 8;
constexpr std::int64_t steps_per_look = 64;

}  // namespace

bool MasterProcess::has_database() const { return world_.queue.now() >= database_back_; }
bool MasterProcess::is_stopped() const { return world_.queue.now() < stopped_until_; }
Time MasterProcess::now() const { return world_.queue.now() + ahead_; }

bool MasterProcess::is_calm() const {
  return is_up() && has_database() && !is_stopped() && !stalled_ && accident_ == Accident::none;
}

void MasterProcess::heal() {
  database_back_ = slow_until_ = stopped_until_ = Time::min();
  accident_ = Accident::none;
  start();
  if (brain_) step_soon();
}

// Life and death.

void MasterProcess::start() {
  if (brain_) return;
  if (!has_database()) {
    return world_.queue.after(Duration(1'000), [this] { start(); });
  }
  ++life_;
  world_.trace("the master starts");
  state_ = world_.database.take_over(cat("life ", life_));
  ahead_ = wall_ahead_;
  Recovered recovered = world_.database.load(now());
  ahead_ += std::max(latest_time(recovered) - now(), Duration(0));
  brain_.emplace(world_.options.master);
  world_.checkers.master_starts(now());
  Effects effects = brain_->recover(now(), recovered);
  world_.checkers.stepped(now(), nullptr, effects);
  busy_ = true;
  finish(std::make_shared<Batch>(Batch{std::move(effects.writes), std::move(effects.actions)}));
}

void MasterProcess::crash() {
  if (!brain_) return;
  world_.trace("the master dies");
  if (busy_) leave_a_late_commit();
  brain_.reset();
  ++life_;
  queue_.clear();
  waiting_.clear();
  held_.clear();
  busy_ = stalled_ = planned_ = false;
  wake_at_ = never;
  accident_ = Accident::none;
  stopped_until_ = Time::min();
  world_.checkers.master_died();
  for (const auto& [id, link] : std::exchange(links_, {})) world_.network.close(link);
}

// Its last batch may reach the database when another master has begun; it must find itself
// replaced.
void MasterProcess::leave_a_late_commit() {
  world_.queue.after(Duration(300'000), [this, late = next_state()] {
    const LoopState& found = world_.database.loop_state();
    const bool replaced = found.incarnation != late.incarnation;
    if (replaced && judge_commit(late, found) != CommitVerdict::exit) {
      world_.fail("P1: a master that was replaced goes on");
    }
  });
}

void MasterProcess::stop(Time until) {
  if (!brain_) return;
  stopped_until_ = std::max(stopped_until_, until);
  world_.queue.at(until, [this, life = life_] {
    if (life == life_) step_soon();
  });
}

// The loop.

void MasterProcess::post(MasterEvent event) {
  if (!brain_) return;
  queue_.push_back(std::move(event));
  step_soon();
}

void MasterProcess::step_soon() {
  if (busy_ || is_stopped() || std::exchange(planned_, true)) return;
  world_.queue.after(Duration(1), [this, life = life_] {
    if (life != life_) return;
    planned_ = false;
    if (!is_stopped()) step_queue();
  });
}

Effects MasterProcess::step(const MasterEvent& event) {
  Effects effects = brain_->step(now(), event);
  world_.checkers.stepped(now(), &event, effects);
  look_at_pools(effects);
  return effects;
}

// A pool of which nothing is said to have changed would be granted the same again. When a deadline
// has passed, its timer, which is the last of its batch, tells what changed.
void MasterProcess::look_at_pools(const Effects& effects) {
  if (++steps_ % steps_per_look != 0 || !queue_.empty()) return;
  Time next = wake_at_;
  for (const MasterAction& action : effects.actions) {
    if (const auto* wake = std::get_if<WakeMasterAt>(&action)) next = std::min(next, wake->time);
  }
  if (next <= now()) return;
  const std::string missed = brain_->what_was_missed(now());
  if (!missed.empty()) world_.fail(cat("P6: nobody looked: ", missed));
}

void MasterProcess::step_queue() {
  if (busy_) return;
  if (now() >= wake_at_) {
    wake_at_ = never;
    queue_.emplace_back(TimerFired{});
  }
  const auto batch = std::make_shared<Batch>();
  for (std::size_t i = 0; i < batch_events_most && !queue_.empty(); ++i) {
    const MasterEvent event = std::move(queue_.front());
    queue_.pop_front();
    Effects effects = step(event);
    merge(batch->writes, std::move(effects.writes));
    std::move(effects.actions.begin(), effects.actions.end(), std::back_inserter(batch->actions));
  }
  if (batch->writes.empty()) return complete(batch);
  busy_ = true;
  world_.queue.after(commit_time(), [this, life = life_, batch] {
    if (life == life_) finish(batch);
  });
}

Duration MasterProcess::commit_time() {
  if (world_.queue.now() < slow_until_) return Duration(world_.dice.between(200, 8'000));
  return Duration(world_.dice.between(1, 15));
}

LoopState MasterProcess::next_state() const { return {state_.batch + 1, state_.incarnation}; }

void MasterProcess::write(const LoopState& next, const Batch& batch) {
  const bool taken = world_.database.commit(next, batch.writes);
  if (!taken) world_.fail("the database refused a batch of the only master");
  world_.checkers.committed(batch.writes);
}

void MasterProcess::finish(const BatchPtr& batch) {
  if (is_stopped()) {
    return world_.queue.at(stopped_until_, [this, life = life_, batch] {
      if (life == life_) finish(batch);
    });
  }
  Accident accident = std::exchange(accident_, Accident::none);
  if (!has_database()) accident = Accident::unknown_lost;
  switch (accident) {
    case Accident::dies_before: return world_.master_dies();
    case Accident::dies_after: write(next_state(), *batch); return world_.master_dies();
    case Accident::unknown_written: write(next_state(), *batch); return resolve(batch);
    case Accident::unknown_lost: return resolve(batch);
    case Accident::none:
      write(next_state(), *batch);
      ++state_.batch;
      return complete(batch);
  }
}

// As master/loop.cpp does: read the number until the database answers, and do what it says.
void MasterProcess::resolve(const BatchPtr& batch) {
  stalled_ = true;
  world_.queue.after(database_retry, [this, life = life_, batch] {
    if (life != life_) return;
    if (!has_database() || is_stopped()) return resolve(batch);
    const LoopState next = next_state();
    switch (judge_commit(next, world_.database.loop_state())) {
      case CommitVerdict::perform: break;
      case CommitVerdict::write_again: write(next, *batch); break;
      case CommitVerdict::exit:
      case CommitVerdict::stop_acting: return world_.fail("the only master was fenced off");
    }
    stalled_ = false;
    state_ = next;
    for (const auto& [id, link] : links_) name_marks(link);
    complete(batch);
  });
}

void MasterProcess::complete(const BatchPtr& batch) {
  busy_ = false;
  if (!batch->writes.empty() && queue_.empty()) compare_with_database();
  perform(batch->actions);
  if (!queue_.empty()) step_soon();
}

// What was written is what the brain holds, and a brain that starts from it holds the same.
void MasterProcess::compare_with_database() {
  if (++batches_ < next_comparison_) return;
  next_comparison_ = batches_ + batches_between_comparisons +
                     batches_per_trial * std::ssize(world_.database.rows().trials);
  Recovered stored = world_.database.load(now());
  stored.inbox.clear();
  const Recovered live = brain_->dump();
  if (const std::string found = first_difference(live, stored); !found.empty()) {
    return world_.fail(cat("recover: the rows written are not what the master holds: ", found));
  }
  Master again(world_.options.master);
  again.recover(now(), stored);
  if (const std::string found = first_difference(live, again.dump()); !found.empty()) {
    world_.fail(cat("recover: a master that starts from the rows differs: ", found));
  }
}

void MasterProcess::perform(const std::vector<MasterAction>& actions) {
  for (const MasterAction& action : actions) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
}

void MasterProcess::perform(const Reply& reply) {
  const auto waiting = waiting_.find(reply.token);
  if (waiting == waiting_.end()) return;
  const OnReply on_reply = std::move(waiting->second);
  waiting_.erase(waiting);
  on_reply(reply.result);
}

void MasterProcess::perform(const SendAnswer& send) {
  const auto link = links_.find(send.link);
  if (link == links_.end()) return;
  relay::Answered answered{send.answer};
  answered.answer.batch = state_.batch;
  world_.network.send(link->second, Way::down,
                      [this, to = link->second, answered = std::move(answered)]() mutable {
                        world_.to_agent(to, std::move(answered));
                      });
}

void MasterProcess::perform(const RefuseAgent& refuse) {
  const auto link = links_.find(refuse.link);
  if (link == links_.end()) return;
  world_.trace("the master refuses node ", link->second->node, ": ", refuse.reason.text());
  world_.network.send(link->second, Way::down, [this, to = link->second, reason = refuse.reason] {
    world_.to_agent(to, relay::Refused{reason.text()});
    world_.network.close(to);
  });
}

void MasterProcess::perform(const WakeMasterAt& wake) {
  wake_at_ = std::min(wake_at_, wake.time);
  world_.queue.at(wake.time - ahead_, [this, life = life_] {
    if (life == life_) step_soon();
  });
}

// Links.

LinkPtr MasterProcess::open_link(const Node& node) {
  auto link = std::make_shared<Link>();
  link->id = ++last_link_;
  link->node = node.index();
  link->agent = node.agent_id();
  link->agent_life = node.agent_life();
  link->master_life = life_;
  links_[link->id] = link;
  return link;
}

void MasterProcess::joined(const LinkPtr& link, AgentHello hello) {
  if (!brain_ || link->master_life != life_) return;
  world_.checkers.master_heard(link->node);
  held_[link->id] = hello.allocations;
  name_marks(link);
  post(AgentJoined{.hello = std::move(hello), .link = link->id});
}

void MasterProcess::heard(const LinkPtr& link, Heartbeat heartbeat) {
  if (!brain_ || link->master_life != life_) return;
  world_.checkers.master_heard(link->node);
  held_[link->id] = heartbeat.allocations;
  post(AgentSpoke{.heartbeat = std::move(heartbeat), .link = link->id});
}

void MasterProcess::link_broke(const LinkPtr& link) {
  if (!brain_ || link->master_life != life_) return;
  links_.erase(link->id);
  held_.erase(link->id);
  post(AgentDisconnected{.agent = link->agent, .link = link->id});
}

void MasterProcess::name_marks(const LinkPtr& link) {
  if (!has_database()) return;
  for (const AllocationStatus& status : held_[link->id]) {
    const AllocationId id = status.allocation;
    if (!world_.database.rows().allocations.contains(id)) continue;
    world_.network.send(link, Way::down, [this, link, id, marks = world_.database.marks(id)] {
      world_.to_agent(link, relay::MarksNamed{id, marks});
    });
  }
}

// The data path.

std::optional<Marks> MasterProcess::push_records(AllocationId allocation,
                                                 const std::vector<Record>& records) {
  if (!serves_data()) return std::nullopt;
  const Marks before = world_.database.marks(allocation);
  std::optional<IngestPlan> plan = world_.database.ingest(allocation, records);
  if (!plan) return std::nullopt;
  world_.checkers.ingested(allocation, before, records, *plan);
  if (!plan->inbox.empty()) post(InboxArrived{std::move(plan->inbox)});
  return std::move(plan->marks);
}

Stored MasterProcess::store_part(const PartKey& key, bool damaged) {
  if (!serves_data()) return Stored::unavailable;
  std::optional<InboxRow> row = world_.database.store_part(key, damaged);
  if (!row) return Stored::unavailable;
  post(InboxArrived{{*std::move(row)}});
  return damaged ? Stored::damaged : Stored::yes;
}

void MasterProcess::ask(const std::function<MasterEvent(ReplyToken)>& make_event,
                        OnReply on_reply) {
  if (!brain_ || stalled_ || is_stopped()) {
    return on_reply(unavailable("the master cannot reach its database"));
  }
  const ReplyToken token = ++last_token_;
  waiting_.emplace(token, std::move(on_reply));
  post(make_event(token));
}

}  // namespace dt::sim
