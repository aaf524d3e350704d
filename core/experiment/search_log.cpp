#include "core/experiment/search_log.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/number.h"
#include "core/experiment/proposal_event.h"

namespace dt::core {
namespace {

constexpr std::array reason_names{"completed", "errored", "invalid_hp", "user_cancelled"};

std::optional<ExitReason> parse_reason(const Value& text) {
  for (std::size_t i = 0; i < reason_names.size(); ++i) {
    if (text == Value(reason_names[i])) return static_cast<ExitReason>(i);
  }
  return std::nullopt;
}

Status malformed(const SearcherEventRow& row, const Status& why) {
  return data_loss("event ", row.number, " of the search of experiment ", row.experiment, ": ",
                   why.message());
}

}  // namespace

Value start_event() { return Value::Object{{"event", "start"}}; }

Value validation_event(const ValidationReport& report, std::int64_t step) {
  return Value::Object{{"event", "validation"},
                       {"trial", report.trial},
                       {"metric", value_of_number(report.metric)},
                       {"time", report.time},
                       {"step", step}};
}

Value exit_event(SearchTrial trial, ExitReason reason) {
  return Value::Object{{"event", "exited"},
                       {"trial", trial},
                       {"reason", reason_names[static_cast<std::size_t>(reason)]}};
}

Value wall_time_event() { return Value::Object{{"event", "wall_time_over"}}; }

SearchLog::SearchLog(ExperimentId experiment, const ExperimentConfig& config)
    : experiment_(experiment), searcher_(config.searcher, config.hyperparameters, config.seed) {}

SearchOperations SearchLog::append(Value event, Writes& writes) {
  VERIFY(!closed_, "an event of a search that cannot go on");
  record(std::move(event), writes);
  Result<SearchOperations> operations = apply(recent_.back().event);
  VERIFY(operations.ok(), "own search event: ", operations.status().message());
  take_snapshot_if_due(writes);
  return std::move(operations).value();
}

Result<SearchOperations> SearchLog::propose(const Proposal& proposal, Writes& writes) {
  VERIFY(!closed_, "a proposal to a search that cannot go on");
  SearchOperations operations = TRY(searcher_.propose(proposal));
  record(proposal_event(proposal), writes);
  take_snapshot_if_due(writes);
  return operations;
}

void SearchLog::record(Value event, Writes& writes) {
  recent_.push_back({.experiment = experiment_, .number = ++events_, .event = std::move(event)});
  writes.searcher_events.push_back(recent_.back());
}

void SearchLog::take_snapshot_if_due(Writes& writes) {
  if (!snapshot_is_due()) return;
  snapshot_ = {.experiment = experiment_, .number = events_, .snapshot = searcher_.snapshot()};
  recent_.clear();
  writes.searcher_snapshots.push_back(*snapshot_);
}

bool SearchLog::snapshot_is_due() const {
  const auto trials = static_cast<std::int64_t>(searcher_.trials_requested());
  return static_cast<std::int64_t>(recent_.size()) >= std::max(events_per_snapshot, trials);
}

Status SearchLog::restore(const std::optional<SearcherSnapshotRow>& snapshot,
                          const std::vector<SearcherEventRow>& events) {
  snapshot_ = snapshot;
  events_ = snapshot ? snapshot->number : 0;
  for (const SearcherEventRow& row : events) {
    if (row.number > events_) recent_.push_back(row);  // the snapshot has the others
  }
  if (snapshot) TRY(searcher_.restore(snapshot->snapshot));
  for (const SearcherEventRow& row : recent_) {
    if (row.number != events_ + 1) {
      return data_loss("the search of experiment ", experiment_, " lacks event ", events_ + 1);
    }
    const Result<SearchOperations> operations = apply(row.event);
    if (!operations.ok()) return malformed(row, operations.status());
    events_ = row.number;
  }
  return {};
}

void SearchLog::set_trial_progress(SearchTrial trial, double fraction) {
  if (knows(trial)) searcher_.set_trial_progress(trial, fraction);
}

Result<SearchOperations> SearchLog::apply(const Value& event) {
  const Value& kind = event["event"];
  if (kind == Value("start")) {
    if (searcher_.trials_requested() > 0) return data_loss("a second start");
    return searcher_.start();
  }
  if (kind == Value("wall_time_over")) return searcher_.wall_time_is_over();
  if (kind == Value("proposed")) return searcher_.propose(TRY(proposal_in(event)));
  const std::int64_t number = event["trial"].is_int() ? event["trial"].as_int() : -1;
  const auto trial = static_cast<SearchTrial>(number);
  if (number != trial || !knows(trial)) return data_loss("no trial ", number);
  if (kind == Value("exited")) {
    const std::optional<ExitReason> reason = parse_reason(event["reason"]);
    if (!reason) return data_loss("an exit without a known reason");
    return searcher_.trial_exited(trial, *reason);
  }
  const std::optional<double> metric = number_of(event["metric"]);
  if (kind != Value("validation") || !metric || !event["time"].is_int()) {
    return data_loss("neither start, proposed, wall_time_over, validation nor exited");
  }
  return searcher_.validation_completed(
      {.trial = trial, .metric = *metric, .time = event["time"].as_int()});
}

}  // namespace dt::core
