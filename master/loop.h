// The loop: the one thread that owns the brain. It takes a batch of events, steps them, commits all
// row changes in one transaction and then performs the actions (DESIGN §4). If the outcome of a
// commit is unknown it reads the batch number and writes the same rows again or goes on; it never
// steps twice. While the database is away it steps nothing and ask() answers `unavailable`.
// Thread rule: post(), ask() and the link and watch functions may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/once_a_minute.h"
#include "base/status.h"
#include "core/master/master.h"
#include "master/clock.h"
#include "master/store/store.h"

namespace dt::master {

// Where answers to one agent's stream go. Called on the loop's thread; must not block.
class AgentOutbox {
 public:
  virtual ~AgentOutbox() = default;
  virtual void send(const core::Answer& answer) = 0;
  virtual void refuse(const Status& reason) = 0;
  virtual void name_marks() = 0;  // the database is back: say again how far each spool is stored
};

enum class LoopEnd { asked, fenced, commits_lost };

class Loop {
 public:
  Loop(core::MasterOptions options, Store& store, Clock& clock);
  ~Loop();

  // Takes the database over, recovers and starts the thread; sets the clock right before anybody
  // else uses it. `accept_loss` raises the cluster's epoch: allocations that the database does not
  // know are killed.
  Status start(const std::string& incarnation, bool accept_loss);
  void stop();
  // Called once, on the loop's thread, when it ends for another reason than stop().
  void on_end(std::function<void(LoopEnd)> handler) { on_end_ = std::move(handler); }

  // Called on the loop's thread after a batch in which an experiment ended.
  void on_experiment_end(std::function<void()> handler) { on_experiment_end_ = std::move(handler); }

  void post(core::MasterEvent event);
  // Posts a request and waits for its reply, at most `timeout`.
  Result<Value> ask(std::function<core::MasterEvent(core::ReplyToken)> make_event,
                    Duration timeout = Duration(30'000));

  std::int64_t add_link(std::shared_ptr<AgentOutbox> outbox);
  void remove_link(std::int64_t link);

  bool is_stalled() const;          // the database is away, or silent for a while
  std::string why_stalled() const;  // in words; empty if it is not
  std::int64_t batch() const;   // the last one committed
  core::ClusterRow cluster() const;
  // The queue as of now, or as of the last batch while the database is away. It is made when
  // somebody asks, at most every 100 ms, so a caller may wait that long.
  struct Queue {
    std::vector<core::Job> jobs;
    std::map<TrialId, std::string> waiting;  // of every trial that does not run: why
    std::string why_waiting(TrialId trial) const;
  };
  std::shared_ptr<const Queue> queue() const;

  // For Watch: waits until something changed after `sequence` or `series_version`, or the timeout.
  struct Seen {
    std::int64_t sequence = 0;
    std::int64_t series_version = 0;
  };
  Seen seen() const;
  Seen wait_for_change(Seen known, Duration timeout) const;
  // Data-path news that no row tells: these series of this trial grew.
  struct SeriesNews {
    std::int64_t version = 0;
    TrialId trial;
    ExperimentId experiment;
    GrownSeries series;  // id 0: its log grew
  };
  void series_grew(TrialId trial, ExperimentId experiment, const std::vector<GrownSeries>& series);
  std::vector<SeriesNews> series_news_after(std::int64_t version) const;

 private:
  void run(const std::stop_token& stop);
  std::vector<core::MasterEvent> take_batch(const std::stop_token& stop);
  void step_all(std::vector<core::MasterEvent> events);
  bool step_batch(std::span<const core::MasterEvent> events);
  bool recall(const core::MasterEvent& event, const std::vector<ExperimentId>& ids);
  void refuse(const core::MasterEvent& event, const Status& reason);
  bool commit(const core::Writes& writes);
  bool resolve(const core::LoopState& next, const core::Writes& writes);
  bool write_again(const core::LoopState& next, const core::Writes& writes);
  void wait_before_retry(const std::stop_token& stop);
  void stall(const core::LoopState& next, const Status& problem);
  std::string why_stalled_locked() const;
  void refuse_callers_locked(const Status& reason);
  void perform(const std::vector<core::MasterAction>& actions);
  void publish(const core::Writes& writes);
  bool is_queue_wanted() const;  // holds mutex_
  void publish_queue();
  void end(LoopEnd why);
  bool heard_lost_commits(const core::MasterEvent& event) const;

  const core::MasterOptions options_;
  Store& store_;
  Clock& clock_;
  std::function<void(LoopEnd)> on_end_;
  std::function<void()> on_experiment_end_;

  // The loop thread's own.
  std::unique_ptr<core::Master> brain_;
  Time wake_at_ = never;
  OncePerMinute complaints_;
  std::chrono::steady_clock::time_point queue_made_at_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  // Guarded by mutex_:
  core::LoopState state_;
  core::ClusterRow cluster_;
  std::deque<core::MasterEvent> queue_;
  std::map<core::ReplyToken, std::promise<Result<Value>>> waiting_;
  core::ReplyToken last_token_ = 0;
  std::map<std::int64_t, std::shared_ptr<AgentOutbox>> links_;
  std::int64_t last_link_ = 0;
  std::string trouble_;       // with the database; empty: none
  Time waits_since_ = never;  // for the database's answer to a batch
  bool ended_ = false;
  Seen seen_;
  std::deque<SeriesNews> series_news_;
  std::shared_ptr<const Queue> queue_view_ = std::make_shared<Queue>();
  std::int64_t steps_ = 0;        // batches stepped
  std::int64_t queue_steps_ = -1;  // of which queue_view_ is
  mutable bool queue_wanted_ = false;

  std::jthread thread_;
};

}  // namespace dt::master
