#include "core/experiment/filter_columns.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/words.h"

namespace dt::core {
namespace {

using Names = std::vector<std::string>;

const Names& columns_of(FilterRows rows) {
  static const Names of_both = {"archived", "config", "created",   "description", "ended",
                                "id",       "labels", "message",   "name",        "notes",
                                "owner",    "pool",   "priority",  "progress",    "project",
                                "searcher", "state",  "workspace", "best_metric"};
  const auto with = [](Names more) {
    more.insert(more.end(), of_both.begin(), of_both.end());
    return more;
  };
  static const Names of_trials =
      with({"attempts", "best_step", "experiment", "hparams", "latest_metric", "latest_step",
            "number", "restarts", "seed", "stopped"});
  static const Names of_experiments = with({"best_trial", "forked_from", "metric"});
  return rows == FilterRows::trials ? of_trials : of_experiments;
}

std::string our_name(const std::string& name) {
  static const std::map<std::string, std::string> ours = {{"hp", "hparams"},
                                                          {"resourcePool", "pool"},
                                                          {"startTime", "created"},
                                                          {"endTime", "ended"},
                                                          {"tags", "labels"},
                                                          {"user", "owner"},
                                                          {"searcherType", "searcher"},
                                                          {"experimentId", "experiment"},
                                                          {"searcherMetric", "metric"},
                                                          {"searcherMetricValue", "best_metric"},
                                                          {"searcherMetricsVal", "best_metric"},
                                                          {"forkedFrom", "forked_from"},
                                                          {"experimentName", "name"}};
  const auto found = ours.find(name);
  return found == ours.end() ? name : found->second;
}

Result<std::string> known_column(const std::string& column, FilterRows rows) {
  const std::size_t dot = std::min(column.find('.'), column.size());
  const std::string head = our_name(column.substr(0, dot));
  const Names& known = columns_of(rows);
  const bool has_members = head == "hparams" || head == "config";
  const bool is_known = std::find(known.begin(), known.end(), head) != known.end();
  if (is_known && has_members == (dot < column.size())) return head + column.substr(dot);
  const std::string near = has_members ? head + ".NAME" : nearest(head, known);
  return invalid_argument("filter: there is no column ", column)
      .with_detail({.subject = "filter",
                    .value = column,
                    .hint = near.empty() ? "" : cat("did you mean ", near, "?"),
                    .path = "filter"});
}

std::string padded(int number, std::size_t width) {
  const std::string digits = cat(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

// "2026-12-01T04:30:00Z"; null of a time that has not come.
Value utc_text(std::int64_t ms) {
  if (ms <= 0) return {};
  using namespace std::chrono;
  const sys_time<seconds> time = floor<seconds>(sys_time<milliseconds>(milliseconds(ms)));
  const year_month_day date(floor<days>(time));
  const int seconds_of_day = static_cast<int>((time - floor<days>(time)).count());
  return cat(padded(static_cast<int>(date.year()), 4), '-',
             padded(static_cast<int>(static_cast<unsigned>(date.month())), 2), '-',
             padded(static_cast<int>(static_cast<unsigned>(date.day())), 2), 'T',
             padded(seconds_of_day / 3600, 2), ':', padded(seconds_of_day / 60 % 60, 2), ':',
             padded(seconds_of_day % 60, 2), 'Z');
}

Value number_or_null(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

Value id_or_null(std::int64_t id) { return id > 0 ? Value(id) : Value(); }

}  // namespace

Result<Filter> with_known_columns(Filter filter, FilterRows rows) {
  if (filter.kind == Filter::Kind::condition) {
    filter.column = TRY(known_column(filter.column, rows));
  }
  for (Filter& member : filter.members) member = TRY(with_known_columns(std::move(member), rows));
  return filter;
}

Value filter_values(const ExperimentRow& experiment) {
  const Value& config = experiment.config;
  return Value::Object{{"id", experiment.id.value},
                       {"name", experiment.name},
                       {"owner", experiment.owner},
                       {"state", to_text(experiment.state)},
                       {"config", config},
                       {"labels", config["labels"]},
                       {"description", config["description"]},
                       {"workspace", config["workspace"]},
                       {"project", config["project"]},
                       {"searcher", config["searcher"]["name"]},
                       {"metric", config["searcher"]["metric"]},
                       {"pool", config["resources"]["resource_pool"]},
                       {"priority", experiment.priority},
                       {"progress", experiment.progress},
                       {"best_metric", number_or_null(experiment.best_metric)},
                       {"best_trial", id_or_null(experiment.best_trial.value)},
                       {"forked_from", id_or_null(experiment.forked_from.value)},
                       {"archived", experiment.archived},
                       {"notes", experiment.notes},
                       {"message", experiment.message},
                       {"created", utc_text(experiment.created_ms)},
                       {"ended", utc_text(experiment.ended_ms)}};
}

Value filter_values(const TrialRow& trial, const ExperimentRow& experiment) {
  Value values = filter_values(experiment);
  values.set("id", trial.id.value).set("experiment", experiment.id.value);
  values.set("number", trial.number).set("state", to_text(trial.state));
  values.set("hparams", trial.hparams).set("seed", static_cast<std::int64_t>(trial.seed));
  values.set("attempts", trial.attempts).set("restarts", trial.restarts);
  values.set("stopped", trial.stopped_by_searcher).set("progress", trial.progress);
  values.set("latest_metric", number_or_null(trial.latest_metric));
  values.set("latest_step", trial.latest_step);
  values.set("best_metric", number_or_null(trial.best_metric)).set("best_step", trial.best_step);
  values.set("created", utc_text(trial.created_ms)).set("ended", utc_text(trial.ended_ms));
  values.set("message", trial.message);
  return values;
}

}  // namespace dt::core
