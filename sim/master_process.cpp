#include "sim/master_process.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/master/writes.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: events and actions are this file's words

constexpr std::size_t batch_events_most = 64;
constexpr Duration database_retry{200};

// An attempt prepares from a checkpoint that a later arrival has superseded: a master that starts
// anew is not given its row and withdraws the attempt, so the two differ by design.
bool prepares_from_superseded(const Recovered& stored) {
  const auto is_given = [&](const CheckpointId& id) {
    return std::any_of(stored.checkpoints.begin(), stored.checkpoints.end(),
                       [&](const CheckpointRow& row) { return row.id == id; });
  };
  return std::any_of(stored.allocations.begin(), stored.allocations.end(), [&](const auto& row) {
    return row.order == Order::prepare && row.resumed_from && !is_given(row.resumed_from);
  });
}

}  // namespace

bool MasterProcess::has_database() const { return world_.queue.now() >= database_back_; }

bool MasterProcess::is_calm() const {
  return is_up() && has_database() && !stalled_ && accident_ == Accident::none;
}

void MasterProcess::heal() {
  database_back_ = Time::min();
  accident_ = Accident::none;
  start();
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
  const Recovered recovered = world_.database.load(world_.queue.now());
  brain_.emplace(world_.master_options());
  Effects effects = brain_->recover(world_.queue.now(), recovered);
  Batch batch{std::move(effects.writes), std::move(effects.actions)};
  busy_ = true;
  finish(batch);
}

void MasterProcess::crash() {
  if (!brain_) return;
  world_.trace("the master dies");
  brain_.reset();
  ++life_;
  queue_.clear();
  waiting_.clear();
  held_.clear();
  busy_ = stalled_ = planned_ = false;
  wake_at_ = never;
  accident_ = Accident::none;
  for (const auto& [id, link] : std::exchange(links_, {})) world_.network.close(link);
}

// The loop.

void MasterProcess::post(MasterEvent event) {
  if (!brain_) return;
  queue_.push_back(std::move(event));
  step_soon();
}

void MasterProcess::step_soon() {
  if (busy_ || std::exchange(planned_, true)) return;
  world_.queue.after(Duration(1), [this, life = life_] {
    if (life != life_) return;
    planned_ = false;
    step_queue();
  });
}

void MasterProcess::step_queue() {
  if (busy_) return;
  const Time now = world_.queue.now();
  if (now >= wake_at_) {
    wake_at_ = never;
    queue_.emplace_back(TimerFired{});
  }
  Batch batch;
  for (std::size_t i = 0; i < batch_events_most && !queue_.empty(); ++i) {
    const MasterEvent event = std::move(queue_.front());
    queue_.pop_front();
    Effects effects = brain_->step(now, event);
    merge(batch.writes, std::move(effects.writes));
    std::move(effects.actions.begin(), effects.actions.end(), std::back_inserter(batch.actions));
  }
  if (batch.writes.empty()) return complete(batch);
  busy_ = true;
  world_.queue.after(Duration(world_.dice.between(1, 15)),
                     [this, life = life_, batch = std::move(batch)] {
                       if (life == life_) finish(batch);
                     });
}

LoopState MasterProcess::next_state() const { return {state_.batch + 1, state_.incarnation}; }

void MasterProcess::write(const LoopState& next, const Batch& batch) {
  world_.checkers.before_commit(batch.writes);
  const bool taken = world_.database.commit(next, batch.writes);
  if (!taken) world_.fail("the database refused a batch of the only master");
  world_.checkers.after_commit(batch.writes);
}

void MasterProcess::finish(const Batch& batch) {
  Accident accident = std::exchange(accident_, Accident::none);
  if (!has_database()) accident = Accident::unknown_lost;
  switch (accident) {
    case Accident::dies_before: return world_.master_dies();
    case Accident::dies_after: write(next_state(), batch); return world_.master_dies();
    case Accident::unknown_written: write(next_state(), batch); return resolve(batch);
    case Accident::unknown_lost: return resolve(batch);
    case Accident::none:
      write(next_state(), batch);
      ++state_.batch;
      return complete(batch);
  }
}

// As master/loop.cpp does: read the number until the database answers, and do what it says.
void MasterProcess::resolve(const Batch& batch) {
  stalled_ = true;
  world_.queue.after(database_retry, [this, life = life_, batch] {
    if (life != life_) return;
    if (!has_database()) return resolve(batch);
    const LoopState next = next_state();
    switch (judge_commit(next, world_.database.loop_state())) {
      case CommitVerdict::perform: break;
      case CommitVerdict::write_again: write(next, batch); break;
      case CommitVerdict::exit:
      case CommitVerdict::stop_acting: return world_.fail("the only master was fenced off");
    }
    stalled_ = false;
    state_ = next;
    for (const auto& [id, link] : links_) name_marks(link);
    complete(batch);
  });
}

void MasterProcess::complete(const Batch& batch) {
  busy_ = false;
  if (!batch.writes.empty() && queue_.empty()) compare_with_database();
  perform(batch.actions);
  if (!queue_.empty()) step_soon();
}

// What was written is what the brain holds, and a brain that starts from it holds the same.
void MasterProcess::compare_with_database() {
  if (!world_.dice.chance(4)) return;
  const Time now = world_.queue.now();
  Recovered stored = world_.database.load(now);
  stored.inbox.clear();
  const std::string live = text_of(brain_->dump());
  if (text_of(stored) != live) {
    world_.trace("live:\n", live, "stored:\n", text_of(stored));
    return world_.fail("recover: the rows written are not what the master holds");
  }
  if (prepares_from_superseded(stored)) return;
  Master again(world_.master_options());
  again.recover(now, stored);
  if (text_of(again.dump()) == live) return;
  world_.trace("live:\n", live, "recovered:\n", text_of(again.dump()));
  world_.fail("recover: a master that starts from the rows differs from the one that lives");
}

void MasterProcess::perform(const std::vector<MasterAction>& actions) {
  for (const MasterAction& action : actions) {
    std::visit(Overload{
                   [&](const Reply& reply) {
                     const auto waiting = waiting_.find(reply.token);
                     if (waiting == waiting_.end()) return;
                     const OnReply on_reply = std::move(waiting->second);
                     waiting_.erase(waiting);
                     on_reply(reply.result);
                   },
                   [&](const SendAnswer& send) {
                     const auto link = links_.find(send.link);
                     if (link == links_.end()) return;
                     Answer answer = send.answer;
                     answer.batch = state_.batch;
                     world_.network.send(link->second, Way::down,
                                         [this, to = link->second, answer] {
                                           world_.to_agent(to, relay::Answered{answer});
                                         });
                   },
                   [&](const RefuseAgent& refuse) {
                     world_.fail(cat("an honest agent was refused: ", refuse.reason.text()));
                   },
                   [&](const WakeMasterAt& wake) {
                     wake_at_ = std::min(wake_at_, wake.time);
                     world_.queue.at(wake.time, [this, life = life_] {
                       if (life == life_) step_soon();
                     });
                   },
               },
               action);
  }
}

// Links.

LinkPtr MasterProcess::open_link(int node, int agent_life) {
  auto link = std::make_shared<Link>();
  link->id = ++last_link_;
  link->node = node;
  link->agent_life = agent_life;
  link->master_life = life_;
  links_[link->id] = link;
  return link;
}

void MasterProcess::joined(const LinkPtr& link, const AgentHello& hello) {
  if (!brain_ || link->master_life != life_) return;
  world_.checkers.master_heard(link->node);
  held_[link->id] = hello.allocations;
  name_marks(link);
  post(AgentJoined{.hello = hello, .link = link->id});
}

void MasterProcess::heard(const LinkPtr& link, const Heartbeat& heartbeat) {
  if (!brain_ || link->master_life != life_) return;
  world_.checkers.master_heard(link->node);
  held_[link->id] = heartbeat.allocations;
  post(AgentSpoke{.heartbeat = heartbeat, .link = link->id});
}

void MasterProcess::link_broke(const LinkPtr& link) {
  if (!brain_ || link->master_life != life_) return;
  links_.erase(link->id);
  held_.erase(link->id);
  post(AgentDisconnected{.agent = world_.nodes[static_cast<std::size_t>(link->node)]->agent_id(),
                         .link = link->id});
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
  if (!brain_ || !has_database()) return std::nullopt;
  auto ingested = world_.database.ingest(allocation, records);
  if (!ingested) return std::nullopt;
  if (!ingested->inbox.empty()) post(InboxArrived{std::move(ingested->inbox)});
  return ingested->marks;
}

bool MasterProcess::part_stored(AllocationId allocation, const CheckpointId& id, int part) {
  if (!brain_ || !has_database()) return false;
  const auto row = world_.database.part_stored(allocation, id, part);
  if (!row) return false;
  post(InboxArrived{{*row}});
  return true;
}

void MasterProcess::ask(const std::function<MasterEvent(ReplyToken)>& make_event,
                        OnReply on_reply) {
  if (!brain_ || stalled_) return on_reply(unavailable("the master cannot reach its database"));
  const ReplyToken token = ++last_token_;
  waiting_.emplace(token, std::move(on_reply));
  post(make_event(token));
}

}  // namespace dt::sim
