#include "master/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/master/writes.h"

namespace dt::master {
namespace {

constexpr std::size_t batch_events_max = 256;
constexpr std::size_t series_news_max = 65'536;
constexpr auto database_retry = std::chrono::milliseconds(200);

// The highest batch of this epoch that the sender has heard of; agents forget it at a new epoch.
std::int64_t batch_seen(const core::MasterEvent& event, std::int64_t epoch) {
  if (const auto* joined = std::get_if<core::AgentJoined>(&event)) {
    return joined->hello.cluster_epoch == epoch ? joined->hello.batch_seen : 0;
  }
  if (const auto* spoke = std::get_if<core::AgentSpoke>(&event)) return spoke->heartbeat.batch_seen;
  return 0;
}

}  // namespace

Loop::Loop(core::MasterOptions options, Store& store, const Clock& clock)
    : options_(std::move(options)), store_(store), clock_(clock) {}

Loop::~Loop() { stop(); }

Status Loop::start(const std::string& incarnation, bool accept_loss) {
  state_ = TRY(store_.take_over(incarnation));
  core::Recovered recovered = TRY(store_.load());
  if (accept_loss) ++recovered.cluster.cluster_epoch;
  brain_ = std::make_unique<core::Master>(options_);
  core::Effects effects = brain_->recover(clock_.now(), recovered);
  if (accept_loss && !effects.writes.cluster) effects.writes.cluster = recovered.cluster;
  cluster_ = recovered.cluster;
  seen_.sequence = recovered.cluster.last_change;
  if (!commit(effects.writes)) return unavailable("the database did not take the first batch");
  publish(effects.writes);
  perform(effects.actions);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return {};
}

void Loop::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    changed_.notify_all();
    thread_.join();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (auto& [token, promise] : waiting_) promise.set_value(unavailable("the master is stopping"));
  waiting_.clear();
  changed_.notify_all();
}

void Loop::post(core::MasterEvent event) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(event));
  changed_.notify_all();
}

Result<Value> Loop::ask(std::function<core::MasterEvent(core::ReplyToken)> make_event,
                        Duration timeout) {
  std::future<Result<Value>> reply;
  core::ReplyToken token = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stalled_ || ended_) {
      return unavailable("the master cannot reach its database").with_hint("try again");
    }
    token = ++last_token_;
    reply = waiting_[token].get_future();
    queue_.push_back(make_event(token));
    changed_.notify_all();
  }
  if (reply.wait_for(timeout) == std::future_status::ready) return reply.get();
  const std::lock_guard lock(mutex_);
  waiting_.erase(token);
  return unavailable("the master did not answer in time")
      .with_hint("repeat the request: it has one effect");
}

std::int64_t Loop::add_link(std::shared_ptr<AgentOutbox> outbox) {
  const std::lock_guard lock(mutex_);
  links_[++last_link_] = std::move(outbox);
  return last_link_;
}

void Loop::remove_link(std::int64_t link) {
  const std::lock_guard lock(mutex_);
  links_.erase(link);
}

bool Loop::is_stalled() const {
  const std::lock_guard lock(mutex_);
  return stalled_ || ended_;
}

std::int64_t Loop::batch() const {
  const std::lock_guard lock(mutex_);
  return state_.batch;
}

core::ClusterRow Loop::cluster() const {
  const std::lock_guard lock(mutex_);
  return cluster_;
}

std::string Loop::why_waiting(TrialId trial) const {
  const std::lock_guard lock(mutex_);
  const auto it = waiting_reasons_.find(trial);
  return it == waiting_reasons_.end() ? "" : it->second;
}

Loop::Seen Loop::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

Loop::Seen Loop::wait_for_change(Seen known, Duration timeout) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] {
    return ended_ || seen_.sequence > known.sequence || seen_.series_version > known.series_version;
  });
  return seen_;
}

void Loop::series_grew(TrialId trial, ExperimentId experiment,
                       const std::vector<GrownSeries>& series) {
  if (series.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const GrownSeries& grown : series) {
    series_news_.push_back({++seen_.series_version, trial, experiment, grown});
  }
  while (series_news_.size() > series_news_max) series_news_.pop_front();
  changed_.notify_all();
}

std::vector<Loop::SeriesNews> Loop::series_news_after(std::int64_t version) const {
  const std::lock_guard lock(mutex_);
  std::vector<SeriesNews> news;
  const auto from = std::partition_point(series_news_.begin(), series_news_.end(),
                                         [&](const SeriesNews& n) { return n.version <= version; });
  std::copy(from, series_news_.end(), std::back_inserter(news));
  return news;
}

void Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<core::MasterEvent> events = take_batch(stop);
    if (stop.stop_requested()) return;
    step_all(std::move(events));
    const std::lock_guard lock(mutex_);
    if (ended_) return;
  }
}

std::vector<core::MasterEvent> Loop::take_batch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !queue_.empty(); };
  if (wake_at_ == never) {
    changed_.wait(lock, stop, ready);
  } else {
    changed_.wait_until(lock, stop, clock_.steady(wake_at_), ready);
  }
  std::vector<core::MasterEvent> events;
  while (!queue_.empty() && events.size() < batch_events_max) {
    events.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  if (clock_.now() >= wake_at_) {
    wake_at_ = never;
    events.push_back(core::TimerFired{});
  }
  return events;
}

bool Loop::heard_lost_commits(const core::MasterEvent& event) const {
  const std::lock_guard lock(mutex_);
  return core::commits_were_lost(state_.batch, batch_seen(event, cluster_.cluster_epoch));
}

void Loop::step_all(std::vector<core::MasterEvent> events) {
  core::Writes writes;
  std::vector<core::MasterAction> actions;
  const Time now = clock_.now();
  for (const core::MasterEvent& event : events) {
    if (heard_lost_commits(event)) return end(LoopEnd::commits_lost);
    core::Effects effects = brain_->step(now, event);
    core::merge(writes, std::move(effects.writes));
    std::move(effects.actions.begin(), effects.actions.end(), std::back_inserter(actions));
  }
  if (!writes.empty() && !commit(writes)) return;
  publish(writes);
  perform(actions);
}

// True once the rows are durable; false when this master must not go on.
bool Loop::commit(const core::Writes& writes) {
  if (writes.empty()) return true;
  core::LoopState next;
  {
    const std::lock_guard lock(mutex_);
    next = state_;
  }
  ++next.batch;
  const Status status = store_.commit(next, writes);
  if (!status.ok()) {
    spdlog::warn("batch {}: {}", next.batch, status.message());
    if (!resolve(next, writes)) return false;
  }
  const std::lock_guard lock(mutex_);
  state_ = next;
  return true;
}

// The outcome is not known: read the number until the database answers, and do what it says.
bool Loop::resolve(const core::LoopState& next, const core::Writes& writes) {
  {
    const std::lock_guard lock(mutex_);
    stalled_ = true;
  }
  const std::stop_token stop = thread_.get_stop_token();
  bool resolved = false;
  for (bool first = true; !resolved && !stop.stop_requested(); first = false) {
    if (!first) wait_before_retry(stop);
    const Result<core::LoopState> found = store_.loop_state();
    if (!found.ok()) continue;
    switch (core::judge_commit(next, *found)) {
      case core::CommitVerdict::perform: resolved = true; break;
      case core::CommitVerdict::write_again: resolved = write_again(next, writes); break;
      case core::CommitVerdict::exit: end(LoopEnd::fenced); return false;
      case core::CommitVerdict::stop_acting: end(LoopEnd::commits_lost); return false;
    }
  }
  if (!resolved) return false;
  spdlog::info("the database is back; batch {} is committed", next.batch);
  std::vector<std::shared_ptr<AgentOutbox>> outboxes;
  {
    const std::lock_guard lock(mutex_);
    stalled_ = false;
    for (const auto& [link, outbox] : links_) outboxes.push_back(outbox);
  }
  for (const auto& outbox : outboxes) outbox->name_marks();
  return true;
}

bool Loop::write_again(const core::LoopState& next, const core::Writes& writes) {
  const Status status = store_.commit(next, writes);
  if (!status.ok()) spdlog::warn("batch {} again: {}", next.batch, status.message());
  return status.ok();
}

void Loop::wait_before_retry(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, database_retry, [] { return false; });
}

void Loop::publish(const core::Writes& writes) {
  if (writes.empty()) return;
  std::map<TrialId, std::string> reasons = brain_->waiting();
  const std::lock_guard lock(mutex_);
  waiting_reasons_ = std::move(reasons);
  if (writes.cluster) cluster_ = *writes.cluster;
  if (!writes.changes.empty()) seen_.sequence = writes.changes.back().sequence;
  changed_.notify_all();
}

void Loop::perform(const std::vector<core::MasterAction>& actions) {
  for (const core::MasterAction& action : actions) {
    std::visit(Overload{
                   [&](const core::Reply& reply) {
                     const std::lock_guard lock(mutex_);
                     const auto it = waiting_.find(reply.token);
                     if (it == waiting_.end()) return;  // its caller gave up waiting
                     it->second.set_value(reply.result);
                     waiting_.erase(it);
                   },
                   [&](const core::SendAnswer& send) {
                     std::shared_ptr<AgentOutbox> outbox;
                     core::Answer answer = send.answer;
                     {
                       const std::lock_guard lock(mutex_);
                       const auto it = links_.find(send.link);
                       if (it == links_.end()) return;  // the next hello asks again
                       outbox = it->second;
                       answer.batch = state_.batch;
                     }
                     outbox->send(answer);
                   },
                   [&](const core::RefuseAgent& refuse) {
                     std::shared_ptr<AgentOutbox> outbox;
                     {
                       const std::lock_guard lock(mutex_);
                       const auto it = links_.find(refuse.link);
                       if (it == links_.end()) return;
                       outbox = it->second;
                     }
                     outbox->refuse(refuse.reason);
                   },
                   [&](const core::WakeMasterAt& wake) { wake_at_ = std::min(wake_at_, wake.time); },
               },
               action);
  }
}

void Loop::end(LoopEnd why) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (auto& [token, promise] : waiting_) {
      promise.set_value(unavailable("this master no longer acts"));
    }
    waiting_.clear();
    changed_.notify_all();
  }
  if (on_end_) on_end_(why);
}

}  // namespace dt::master
