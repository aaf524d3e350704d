// Oracle sections of asynchronous halving (the stop rule), on one bracket.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/overload.h"
#include "core/search/async_halving.h"
#include "core/search/report.h"
#include "core/search/rungs.h"
#include "formats/json.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::AsyncHalvingMethod;
using core::AsyncHalvingSearch;
using core::ExitReason;
using core::RungLadder;
using core::SearchTrial;

AsyncHalvingSearch search_of(const Value& config) {
  AsyncHalvingSearch search;
  search.num_rungs = static_cast<int>(config["num_rungs"].as_int());
  search.max_trials = static_cast<int>(config["max_trials"].as_int());
  search.divisor = config["divisor"].is_number() ? config["divisor"].as_double() : search.divisor;
  search.max_concurrent_trials =
      static_cast<int>(int_or(config, "max_concurrent_trials", search.max_concurrent_trials));
  search.max_time = config["max_time"].as_int();
  return search;
}

core::HyperparameterSpace any_space() { return {{"x", {core::DoubleParameter{0, 1, {}}}}}; }

// --- the ladder ---

Verdict run_make_rungs(const Value& test) {
  Value::Array units;
  for (const std::int64_t needed :
       core::rung_units(static_cast<int>(test["rungs"].as_int()), test["divisor"].as_double(),
                        test["max_time"].as_int())) {
    units.push_back(needed);
  }
  return expect_equal("units", test["units"], units);
}

Verdict run_insert_metric(const Value& test) {
  core::Rung rung;
  for (const Value& metric : test["existing"].as_array()) {
    rung.entries.push_back({.metric = metric.as_double(), .trial = 0});
  }
  return expect_equal("index", test["index"],
                      rung.insert({.metric = test["metric"].as_double(), .trial = 1}));
}

Verdict run_get_metric(const Value& test) {
  core::SearcherConfig config;
  config.metric = test["metric"].as_string();
  config.smaller_is_better = bool_or(test, "smaller_is_better", true);
  config.method = AsyncHalvingSearch{.time_metric = test["time_metric"].as_string()};
  const auto report = core::report_of(config, 0, test["metrics"], std::nullopt);
  if (const Value* error = test.find("error")) {
    if (report.ok()) return cat("expected an error, got ", report->metric);
    const std::string role = error->as_string().substr(std::string("error parsing ").size());
    const bool told = report.status().message().starts_with(cat(role, " '"));
    return told ? Verdict() : cat("expected ", role, ", got ", report.status().text());
  }
  if (!report.ok()) return report.status().text();
  const Verdict time = expect_equal("time", test["time"], report->time);
  if (time) return time;
  return expect_equal("value", test["value"],
                      core::judged_metric(report->metric, config.smaller_is_better));
}

// The stop rule's cases name trials by text, and start in mid-search.
class NamedLadder {
 public:
  explicit NamedLadder(const Value& test)
      : ladder_(units_of(test["rungs"]), test["divisor"].as_double()) {
    for (const auto& [name, rung] : test["trial_rung"].as_object()) add(name, rung.as_int());
    const Value::Array& before = test["before"].as_array();
    for (std::size_t level = 0; level < before.size(); ++level) {
      for (const Value& entry : before[level].as_array()) {
        add(name_in(entry), static_cast<std::int64_t>(level));
      }
    }
    restored_ = ladder_.restore(snapshot(test));
  }

  const Status& restored() const { return restored_; }

  bool stops(const Value& report, bool smaller_is_better) {
    const double metric = core::judged_metric(report["metric"].as_double(), smaller_is_better);
    return ladder_.judge(numbers_.at(text_of(report["trial"])), report["time"].as_int(), metric) ==
           RungLadder::Verdict::stop;
  }

  Value trials_on_rungs() const {
    Value::Array rungs;
    for (const core::Rung& rung : ladder_.rungs()) {
      Value::Array names;
      for (const auto& entry : rung.entries) {
        names.push_back(names_[static_cast<std::size_t>(entry.trial)]);
      }
      rungs.push_back(std::move(names));
    }
    return rungs;
  }

  Value rungs_of(const Value& wanted) const {
    Value::Object rungs;
    for (const auto& [name, rung] : wanted.as_object()) {
      rungs[name] = ladder_.rung_of(numbers_.at(name));
    }
    return rungs;
  }

 private:
  static std::vector<std::int64_t> units_of(const Value& list) {
    std::vector<std::int64_t> units;
    for (const Value& needed : list.as_array()) units.push_back(needed.as_int());
    return units;
  }

  static std::string text_of(const Value& name) {  // names may look like numbers
    return name.is_int() ? std::to_string(name.as_int()) : name.as_string();
  }

  static std::string name_in(const Value& entry) { return text_of(entry.as_array().at(0)); }

  void add(const std::string& name, std::int64_t rung) {
    if (!numbers_.emplace(name, static_cast<int>(names_.size())).second) return;
    names_.push_back(name);
    rungs_.push_back(rung);
  }

  Value snapshot(const Value& test) const {
    Value::Array rungs;
    const Value::Array& before = test["before"].as_array();
    for (std::size_t level = 0; level < before.size(); ++level) {
      Value::Array trials, metrics;
      for (const Value& entry : before[level].as_array()) {
        trials.push_back(numbers_.at(name_in(entry)));
        metrics.push_back(entry.as_array().at(1));
      }
      rungs.push_back(Value::Object{{"units", test["rungs"].as_array()[level]},
                                    {"trials", std::move(trials)},
                                    {"metrics", std::move(metrics)}});
    }
    return Value::Object{{"rungs", std::move(rungs)},
                         {"trial_rungs", Value::Array(rungs_.begin(), rungs_.end())}};
  }

  RungLadder ladder_;
  std::map<std::string, SearchTrial> numbers_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> rungs_;
  Status restored_;
};

Verdict run_stop_rule(const Value& test) {
  NamedLadder ladder(test);
  if (!ladder.restored().ok()) return ladder.restored().text();
  const bool stops = ladder.stops(test["report"], bool_or(test, "smaller_is_better", true));
  Verdict verdict = expect_equal("stop", test["stop"], stops);
  if (!verdict) verdict = expect_equal("after", test["after"], ladder.trials_on_rungs());
  if (!verdict && test.find("rung_after") != nullptr) {
    verdict = expect_equal("rung_after", test["rung_after"], ladder.rungs_of(test["rung_after"]));
  }
  return verdict;
}

// --- whole searches ---

// Trials run one after another in the order of their creation.
class SequentialRun {
 public:
  explicit SequentialRun(const Value& test)
      : method_(search_of(test["config"]), true, any_space(), 0),
        from_(test["validate"]["from"].as_int()),
        to_(test["validate"]["to"].as_int()),
        every_(test["validate"]["every"].as_int()),
        change_(test["metrics"] == Value("better_each_report") ? -1 : 1) {}

  void run() {
    take(method_.initial_trials());
    while (!waiting_.empty()) {
      const SearchTrial trial = waiting_.front();
      waiting_.pop_front();
      train(trial);
      take(method_.trial_exited(trial));
    }
  }

  std::int64_t trials() const { return trials_; }
  const std::map<std::int64_t, std::int64_t>& stopped_at() const { return stopped_at_; }

 private:
  void train(SearchTrial trial) {
    for (std::int64_t time = from_; time <= to_; time += every_) {
      metric_ += change_;
      if (!take(method_.validation_completed({trial, metric_, time}))) continue;
      ++stopped_at_[time];
      return;
    }
  }

  bool take(const core::SearchOperations& operations) {  // true: told to stop
    bool stop = false;
    for (const auto& operation : operations) {
      stop = stop || std::holds_alternative<core::StopTrial>(operation);
      const auto* create = std::get_if<core::CreateTrial>(&operation);
      if (create == nullptr) continue;
      waiting_.push_back(create->trial);
      ++trials_;
    }
    return stop;
  }

  AsyncHalvingMethod method_;
  std::int64_t from_, to_, every_;
  double change_;
  double metric_ = 0;
  std::deque<SearchTrial> waiting_;
  std::int64_t trials_ = 0;
  std::map<std::int64_t, std::int64_t> stopped_at_;
};

std::optional<std::string> skip_all_but_async_halving(const Value& test) {
  const Value& name = test["searcher"];
  if (name.is_null() || name == Value("async_halving")) return std::nullopt;
  return cat(name.is_string() ? name.as_string() : to_json(name), " is not built yet");
}

Verdict run_asha(const Value& test) {
  SequentialRun search(test);
  search.run();
  const Verdict trials = expect_equal("trials", test["trials"], search.trials());
  if (trials) return trials;
  Value::Object stopped_at;
  for (const auto& [time, count] : search.stopped_at()) stopped_at[cat(time)] = count;
  return expect_equal("stopped_at", test["stopped_at"], stopped_at);
}

ExitReason reason_of(const std::string& name) {
  if (name == "INVALID_HP" || name == "INIT_INVALID_HP") return ExitReason::invalid_hp;
  return name == "USER_CANCELED" ? ExitReason::user_cancelled : ExitReason::errored;
}

core::SearchOperations apply_event(AsyncHalvingMethod& method, const Value& event) {
  if (event == Value("init")) return method.initial_trials();
  const Value::Array& parts = event.as_array();
  const auto trial = static_cast<SearchTrial>(parts.at(1).as_int());
  const std::string& kind = parts.at(0).as_string();
  if (kind == "val") {
    return method.validation_completed({trial, parts.at(3).as_double(), parts.at(2).as_int()});
  }
  if (kind == "early") {
    return method.trial_exited_early(trial, reason_of(parts.at(2).as_string()));
  }
  return method.trial_exited(trial);
}

Value actions_of(const core::SearchOperations& operations) {
  Value::Array actions;
  for (const auto& operation : operations) {
    actions.push_back(
        std::visit(Overload{
                       [](const core::CreateTrial& create) { return cat("create ", create.trial); },
                       [](const core::StopTrial& stop) { return cat("stop ", stop.trial); },
                       [](const core::Shutdown&) { return std::string("shutdown"); },
                   },
                   operation));
  }
  return actions;
}

Verdict run_trace(const Value& test) {
  AsyncHalvingMethod method(search_of(test["config"]), bool_or(test, "smaller_is_better", true),
                            any_space(), 0);
  int number = 0;
  for (const Value& line : test["trace"].as_array()) {
    const std::string where = cat("event ", number++, " ", to_json(line["event"]));
    const Value actions = actions_of(apply_event(method, line["event"]));
    const Verdict verdict = expect_equal(where + " actions", line["actions"], actions);
    if (verdict) return verdict;
    const double progress = method.progress({});
    if (line["progress"].is_number() && std::abs(line["progress"].as_double() - progress) > 1e-8) {
      return expect_equal(where + " progress", line["progress"], progress);
    }
  }
  Value::Array rungs;
  const Value state = method.snapshot();
  for (const Value& rung : state["ladder"]["rungs"].as_array()) {
    rungs.push_back(Value::Object{{"units", rung["units"]}, {"trials", rung["trials"]}});
  }
  return test.find("rungs") == nullptr ? Verdict() : expect_equal("rungs", test["rungs"], rungs);
}

// A snapshot that a real search left: its rungs must be ours, and its lists in our order whatever
// the order in which the metrics came.
Verdict run_recorded_state(const Value& test) {
  constexpr double recorded_divisor = 4;
  const Value::Array& recorded = test["rungs"].as_array();
  const auto units = core::rung_units(static_cast<int>(recorded.size()), recorded_divisor,
                                      recorded.back()["units"].as_int());
  for (std::size_t level = 0; level < recorded.size(); ++level) {
    const Verdict verdict =
        expect_equal(cat("units of rung ", level), recorded[level]["units"], units[level]);
    if (verdict) return verdict;
    const Value::Array& metrics = recorded[level]["metrics"].as_array();
    core::Rung rung;
    for (std::size_t i = 0; i < metrics.size(); ++i) {  // from both ends in turn
      const std::size_t place = i % 2 == 0 ? metrics.size() - 1 - i / 2 : i / 2;
      rung.insert({.metric = metrics[place].as_array().at(1).as_double(),
                   .trial = static_cast<int>(place)});
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (rung.entries[i].trial == static_cast<int>(i)) continue;
      return cat("place ", i, " of rung ", level, ": got the recorded one of place ",
                 rung.entries[i].trial);
    }
  }
  const auto judged = static_cast<std::int64_t>(recorded[0]["metrics"].as_array().size());
  return expect_equal("trials on the lowest rung", judged,
                      int_or(test, "trials_completed", 0) - int_or(test, "invalid_trials", 0));
}

}  // namespace

std::vector<OracleSection> asha_sections() {
  return {{"make_rungs", run_make_rungs},
          {"asha_insert_metric", run_insert_metric},
          {"asha_get_metric", run_get_metric},
          {"asha_stop_rule", run_stop_rule},
          {"asha_run", run_asha, skip_all_but_async_halving},
          {"asha_trace", run_trace},
          {"asha_recorded_state", run_recorded_state}};
}

}  // namespace dt::sim
