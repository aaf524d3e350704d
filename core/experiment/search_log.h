// A search as its append-only events (DESIGN §4, Searcher state): every external event is appended
// as a row before it is applied, and a snapshot of the searcher is kept now and then, so that
// restore() = snapshot + replay. A snapshot grows with the trials, so as many events as there
// are trials lie between two of them: what one event commits, on average, does not grow with them.
// Trials are named by the searcher's number here. Deterministic; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/master/rows.h"
#include "core/search/method.h"

namespace dt::core {

inline constexpr std::int64_t events_per_snapshot = 256;  // at least

Value start_event();
Value validation_event(const ValidationReport& report, std::int64_t step);
Value exit_event(SearchTrial trial, ExitReason reason);
Value wall_time_event();  // max_wall_time_s are over

class SearchLog {
 public:
  SearchLog(ExperimentId experiment, const ExperimentConfig& config);

  // Appends the event to `writes` and tells the searcher.
  SearchOperations append(Value event, Writes& writes);
  // The same of what a program proposes, which may make no sense: then nothing has changed.
  Result<SearchOperations> propose(const Proposal& proposal, Writes& writes);

  // Before the first append: what the store has. The operations of the replay were applied when the
  // events were first heard.
  Status restore(const std::optional<SearcherSnapshotRow>& snapshot,
                 const std::vector<SearcherEventRow>& events);

  // It cannot go on (restore() failed): nothing is appended and nothing said any more.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }

  bool is_paused(SearchTrial trial) const { return searcher_.is_paused(trial); }
  void set_trial_progress(SearchTrial trial, double fraction);
  double progress() const { return searcher_.progress(); }
  std::vector<RungState> rungs() const { return searcher_.rungs(); }
  SearchLimit limit_reached() const { return searcher_.limit_reached(); }
  int trials_requested() const { return searcher_.trials_requested(); }
  std::int64_t trials_wanted() const { return searcher_.trials_wanted(); }
  std::int64_t events() const { return events_; }

  // The durable form: the last snapshot and the events after it.
  const std::optional<SearcherSnapshotRow>& snapshot() const { return snapshot_; }
  const std::vector<SearcherEventRow>& recent() const { return recent_; }

 private:
  void record(Value event, Writes& writes);
  void take_snapshot_if_due(Writes& writes);
  bool snapshot_is_due() const;
  Result<SearchOperations> apply(const Value& event);
  bool knows(SearchTrial trial) const { return trial >= 0 && trial < searcher_.trials_requested(); }

  ExperimentId experiment_;
  Searcher searcher_;
  std::int64_t events_ = 0;
  bool closed_ = false;
  std::optional<SearcherSnapshotRow> snapshot_;
  std::vector<SearcherEventRow> recent_;
};

}  // namespace dt::core
