#include "core/experiment/search_log.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/experiment/metric.h"

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
                       {"metric", metric_value(report.metric)},
                       {"time", report.time},
                       {"step", step}};
}

Value exit_event(SearchTrial trial, ExitReason reason) {
  return Value::Object{{"event", "exited"},
                       {"trial", trial},
                       {"reason", reason_names[static_cast<std::size_t>(reason)]}};
}

SearchLog::SearchLog(ExperimentId experiment, const ExperimentConfig& config)
    : experiment_(experiment), searcher_(config.searcher, config.hyperparameters, config.seed) {}

SearchOperations SearchLog::append(Value event, Writes& writes) {
  VERIFY(!closed_, "an event of a search that cannot go on");
  SearcherEventRow row{.experiment = experiment_, .number = ++events_, .event = std::move(event)};
  writes.searcher_events.push_back(row);
  Result<SearchOperations> operations = apply(row.event);
  VERIFY(operations.ok(), "own search event: ", operations.status().message());
  recent_.push_back(std::move(row));
  if (events_ % events_per_snapshot == 0) {
    snapshot_ = {.experiment = experiment_, .number = events_, .snapshot = searcher_.snapshot()};
    recent_.clear();
    writes.searcher_snapshots.push_back(*snapshot_);
  }
  return std::move(operations).value();
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
  const std::int64_t number = event["trial"].is_int() ? event["trial"].as_int() : -1;
  const auto trial = static_cast<SearchTrial>(number);
  if (number != trial || !knows(trial)) return data_loss("no trial ", number);
  if (kind == Value("exited")) {
    const std::optional<ExitReason> reason = parse_reason(event["reason"]);
    if (!reason) return data_loss("an exit without a known reason");
    return searcher_.trial_exited(trial, *reason);
  }
  const std::optional<double> metric = metric_number(event["metric"]);
  if (kind != Value("validation") || !metric || !event["time"].is_int()) {
    return data_loss("neither start, validation nor exited");
  }
  return searcher_.validation_completed(
      {.trial = trial, .metric = *metric, .time = event["time"].as_int()});
}

}  // namespace dt::core
