#include "master/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dt::master {
namespace {

constexpr std::size_t batch_events_max = 256;
constexpr std::size_t series_news_max = 65'536;
constexpr auto database_retry = std::chrono::milliseconds(200);
constexpr Duration silence_max{5'000};  // of the database, before people are told
constexpr auto queue_every = std::chrono::milliseconds(100);
constexpr auto queue_patience = std::chrono::seconds(2);  // a batch may take its time

// The highest batch of this epoch that the sender has heard of; agents forget it at a new epoch.
std::int64_t batch_seen(const core::MasterEvent& event, std::int64_t epoch) {
  if (const auto* joined = std::get_if<core::AgentJoined>(&event)) {
    return joined->hello.cluster_epoch == epoch ? joined->hello.batch_seen : 0;
  }
  if (const auto* spoke = std::get_if<core::AgentSpoke>(&event)) return spoke->heartbeat.batch_seen;
  return 0;
}

Status database_is_away(const std::string& why) {
  return unavailable("the master cannot use its database: ", why)
      .with_hint("it goes on by itself once that is over, and may do then what was "
                 "asked: look before you repeat it");
}

}  // namespace

Loop::Loop(core::MasterOptions options, Store& store, Clock& clock)
    : options_(std::move(options)), store_(store), clock_(clock) {}

Loop::~Loop() { stop(); }

Status Loop::start(const std::string& incarnation, bool accept_loss) {
  state_ = TRY(store_.take_over(incarnation));
  core::Recovered recovered = TRY(store_.load());
  if (accept_loss) ++recovered.cluster.cluster_epoch;
  clock_.start_no_earlier_than(core::latest_time(recovered));
  brain_ = std::make_unique<core::Master>(options_);
  core::Effects effects = brain_->recover(clock_.now(), recovered);
  if (accept_loss && !effects.writes.cluster) effects.writes.cluster = recovered.cluster;
  cluster_ = recovered.cluster;
  seen_.sequence = recovered.cluster.last_change;
  if (!commit(effects.writes)) return unavailable("the database did not take the first batch");
  publish(effects.writes);
  publish_queue();
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
  refuse_callers_locked(unavailable("the master is stopping"));
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
    if (ended_) return unavailable("this master no longer acts").with_hint("try again");
    if (const std::string why = why_stalled_locked(); !why.empty()) return database_is_away(why);
    token = ++last_token_;
    reply = waiting_[token].get_future();
    queue_.push_back(make_event(token));
    changed_.notify_all();
  }
  if (reply.wait_for(timeout) == std::future_status::ready) return reply.get();
  const std::lock_guard lock(mutex_);
  waiting_.erase(token);
  return unavailable("the master did not answer in time")
      .with_hint("it may do so yet: look before you repeat the request");
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

bool Loop::is_stalled() const { return !why_stalled().empty(); }

std::string Loop::why_stalled() const {
  const std::lock_guard lock(mutex_);
  return ended_ ? "this master no longer acts" : why_stalled_locked();
}

std::string Loop::why_stalled_locked() const {
  if (!trouble_.empty()) return trouble_;
  if (waits_since_ == never || clock_.now() - waits_since_ < silence_max) return "";
  const auto silent = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - waits_since_);
  return cat("it has not answered for ", silent.count(), " s");
}

std::int64_t Loop::batch() const {
  const std::lock_guard lock(mutex_);
  return state_.batch;
}

core::ClusterRow Loop::cluster() const {
  const std::lock_guard lock(mutex_);
  return cluster_;
}

std::string Loop::Queue::why_waiting(TrialId trial) const {
  const auto it = waiting.find(trial);
  return it == waiting.end() ? "" : it->second;
}

std::shared_ptr<const Loop::Queue> Loop::queue() const {
  std::unique_lock lock(mutex_);
  const std::int64_t steps = steps_;
  if (queue_steps_ < steps) {
    queue_wanted_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, queue_patience,
                      [&] {
                        return queue_steps_ >= steps || ended_ || !why_stalled_locked().empty();
                      });
  }
  return queue_view_;
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
    if (!events.empty()) step_all(std::move(events));
    const std::lock_guard lock(mutex_);
    if (ended_) return;
  }
}

std::vector<core::MasterEvent> Loop::take_batch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_event = [&] { return !queue_.empty(); };
  const auto ready = [&] { return !queue_.empty() || is_queue_wanted(); };
  if (wake_at_ == never) {
    changed_.wait(lock, stop, ready);
  } else {
    changed_.wait_until(lock, stop, clock_.steady(wake_at_), ready);
  }
  if (is_queue_wanted()) {
    const auto due = queue_made_at_ + queue_every;
    changed_.wait_until(lock, stop,
                        wake_at_ == never ? due : std::min(due, clock_.steady(wake_at_)),
                        has_event);
    if (std::chrono::steady_clock::now() >= due) {
      lock.unlock();
      publish_queue();
      lock.lock();
    }
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

// In batches, which end before an event that names what memory no longer has.
void Loop::step_all(std::vector<core::MasterEvent> events) {
  const std::span<const core::MasterEvent> all(events);
  std::size_t first = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (heard_lost_commits(all[i])) return end(LoopEnd::commits_lost);
    const std::vector<ExperimentId> missing = brain_->missing(all[i]);
    if (missing.empty()) continue;
    if (!step_batch(all.subspan(first, i - first))) return;
    first = i;
    if (!recall(all[i], missing)) first = i + 1;  // its caller was told
  }
  step_batch(all.subspan(first));
}

bool Loop::step_batch(std::span<const core::MasterEvent> events) {
  if (events.empty()) return true;
  core::Effects effects = brain_->step(clock_.now(), events);
  if (!commit(effects.writes)) return false;
  publish(effects.writes);
  perform(effects.actions);
  return true;
}

bool Loop::recall(const core::MasterEvent& event, const std::vector<ExperimentId>& ids) {
  const Result<core::Recovered> ended = store_.load_experiments(ids);
  if (!ended.ok()) {
    refuse(event, database_is_away(ended.status().text()));
    return false;
  }
  brain_->recall(clock_.now(), *ended);
  return true;
}

void Loop::refuse(const core::MasterEvent& event, const Status& reason) {
  const core::ReplyToken token = std::visit(
      [](const auto& happened) -> core::ReplyToken {
        if constexpr (requires { happened.request; }) return happened.request.token;
        else return 0;
      },
      event);
  const std::lock_guard lock(mutex_);
  const auto caller = waiting_.find(token);
  if (caller == waiting_.end()) return;
  caller->second.set_value(reason);
  waiting_.erase(caller);
}

// True once the rows are durable; false when this master must not go on.
bool Loop::commit(const core::Writes& writes) {
  if (writes.empty()) return true;
  core::LoopState next;
  {
    const std::lock_guard lock(mutex_);
    next = state_;
    waits_since_ = clock_.now();
  }
  ++next.batch;
  const Status status = store_.commit(next, writes);
  if (!status.ok()) {
    stall(next, status);
    if (!resolve(next, writes)) return false;
  }
  const std::lock_guard lock(mutex_);
  state_ = next;
  waits_since_ = never;
  return true;
}

void Loop::refuse_callers_locked(const Status& reason) {
  for (auto& [token, promise] : waiting_) promise.set_value(reason);
  waiting_.clear();
}

// People are told when it begins, when it changes its nature, and each minute. Callers need not
// wait for the end of it: a repeated request has one effect.
void Loop::stall(const core::LoopState& next, const Status& problem) {
  if (complaints_.is_due(to_text(problem.code()))) {
    spdlog::warn("batch {} waits for the database: {}", next.batch, problem.text());
  }
  const std::lock_guard lock(mutex_);
  trouble_ = problem.text();
  refuse_callers_locked(database_is_away(trouble_));
}

// The outcome is not known: read the number until the database answers, and do what it says.
bool Loop::resolve(const core::LoopState& next, const core::Writes& writes) {
  const std::stop_token stop = thread_.get_stop_token();
  bool resolved = false;
  for (bool first = true; !resolved && !stop.stop_requested(); first = false) {
    if (!first) wait_before_retry(stop);
    const Result<core::LoopState> found = store_.loop_state();
    if (!found.ok()) {
      stall(next, found.status());
      continue;
    }
    switch (core::judge_commit(next, *found)) {
      case core::CommitVerdict::perform: resolved = true; break;
      case core::CommitVerdict::write_again: resolved = write_again(next, writes); break;
      case core::CommitVerdict::exit: end(LoopEnd::fenced); return false;
      case core::CommitVerdict::stop_acting: end(LoopEnd::commits_lost); return false;
    }
  }
  if (!resolved) return false;
  spdlog::info("the database is back; batch {} is committed", next.batch);
  complaints_.forget();
  std::vector<std::shared_ptr<AgentOutbox>> outboxes;
  {
    const std::lock_guard lock(mutex_);
    trouble_.clear();
    for (const auto& [link, outbox] : links_) outboxes.push_back(outbox);
  }
  for (const auto& outbox : outboxes) outbox->name_marks();
  return true;
}

bool Loop::write_again(const core::LoopState& next, const core::Writes& writes) {
  const Status status = store_.commit(next, writes);
  if (!status.ok()) stall(next, status);
  return status.ok();
}

void Loop::wait_before_retry(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, database_retry, [] { return false; });
}

bool Loop::is_queue_wanted() const { return queue_wanted_ && queue_steps_ < steps_; }

void Loop::publish_queue() {
  auto view = std::make_shared<Queue>();
  view->jobs = brain_->queue(clock_.now());
  for (const core::Job& job : view->jobs) {
    for (const core::QueuedTrial& trial : job.trials) {
      if (!trial.reason.empty()) view->waiting.emplace(trial.trial, trial.reason);
    }
  }
  queue_made_at_ = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  queue_view_ = std::move(view);
  queue_steps_ = steps_;
  queue_wanted_ = false;
  changed_.notify_all();
}

void Loop::publish(const core::Writes& writes) {
  const bool any_ended =
      std::any_of(writes.experiments.begin(), writes.experiments.end(),
                  [](const auto& row) { return core::is_terminal(row.state) && !row.tidied; });
  if (any_ended && on_experiment_end_) on_experiment_end_();
  const std::lock_guard lock(mutex_);
  ++steps_;
  if (writes.empty()) return;
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
    refuse_callers_locked(unavailable("this master no longer acts"));
    changed_.notify_all();
  }
  if (on_end_) on_end_(why);
}

}  // namespace dt::master
