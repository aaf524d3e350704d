// Oracle sections of asynchronous halving (the stop rule): its rungs, and whole searches.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/overload.h"
#include "core/search/adaptive_asha.h"
#include "core/search/async_halving.h"
#include "core/search/preview.h"
#include "core/search/report.h"
#include "core/search/rungs.h"
#include "formats/json.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::AdaptiveAshaSearch;
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

AdaptiveAshaSearch::Mode mode_of(const Value& name) {
  if (name == Value("conservative")) return AdaptiveAshaSearch::Mode::conservative;
  if (name == Value("aggressive")) return AdaptiveAshaSearch::Mode::aggressive;
  return AdaptiveAshaSearch::Mode::standard;
}

AdaptiveAshaSearch adaptive_search_of(const Value& config) {
  AdaptiveAshaSearch search;
  search.mode = mode_of(config["mode"]);
  search.max_rungs = static_cast<int>(int_or(config, "max_rungs", search.max_rungs));
  search.max_trials = static_cast<int>(config["max_trials"].as_int());
  search.divisor = config["divisor"].is_number() ? config["divisor"].as_double() : search.divisor;
  search.max_concurrent_trials =
      static_cast<int>(int_or(config, "max_concurrent_trials", search.max_concurrent_trials));
  search.max_time = config["max_time"].as_int();
  if (config["bracket_rungs"].is_array()) {
    for (const Value& rungs : config["bracket_rungs"].as_array()) {
      search.bracket_rungs.push_back(static_cast<int>(rungs.as_int()));
    }
  }
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
    rung.entries.append({.metric = metric.as_double(), .trial = 0});
  }
  return expect_equal("index", test["index"],
                      rung.entries.insert({.metric = test["metric"].as_double(), .trial = 1}));
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
      for (const auto& entry : rung.entries.list()) {
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

// --- brackets ---

std::vector<int> ints_of(const Value& list) {
  std::vector<int> ints;
  for (const Value& one : list.as_array()) ints.push_back(static_cast<int>(one.as_int()));
  return ints;
}

Value list_of(const std::vector<int>& ints) { return Value::Array(ints.begin(), ints.end()); }

Verdict run_bracket_max_trials(const Value& test) {
  const auto trials = core::bracket_trials(static_cast<int>(test["max_trials"].as_int()),
                                           test["divisor"].as_double(), ints_of(test["rungs"]));
  return expect_equal("trials", test["trials"], list_of(trials));
}

Verdict run_bracket_max_concurrent(const Value& test) {
  const auto concurrent =
      core::bracket_concurrency(static_cast<int>(test["max_concurrent"].as_int()),
                                test["divisor"].as_double(), ints_of(test["trials"]));
  return expect_equal("concurrent", test["concurrent"], list_of(concurrent));
}

Verdict run_adaptive_brackets(const Value& test) {
  Value::Array brackets;
  for (const auto& bracket : core::adaptive_brackets(adaptive_search_of(test["config"]))) {
    brackets.push_back(Value::Object{{"rungs", bracket.num_rungs},
                                     {"trials", bracket.max_trials},
                                     {"concurrent", bracket.max_concurrent_trials}});
  }
  return expect_equal("brackets", test["brackets"], brackets);
}

// Brackets follow Determined's floats (docs/decisions/0016-brackets.md).
Verdict run_floor_log(const Value& test) {
  const int got = core::floor_log(test["value"].as_double(), test["divisor"].as_double());
  return expect_equal("floor log", test["upstream_floor_log"], got);
}

Verdict run_adaptive_simulate(const Value& test) {
  core::SearcherConfig config;
  config.method = adaptive_search_of(test["config"]);
  Value::Object trials_by_units;
  std::int64_t units = 0, trials = 0;
  for (const core::PreviewLine& line : core::preview_search(config, any_space())) {
    trials_by_units[cat(line.units.value_or(0))] = line.trials;
    units += line.units.value_or(0) * line.trials;
    trials += line.trials;
  }
  Verdict verdict = expect_equal("trials by units", test["units_to_trials"], trials_by_units);
  const auto check_total = [&](const char* key, std::int64_t got) {
    if (!verdict && !test[key].is_null()) verdict = expect_equal(key, test[key], got);
  };
  check_total("total_units", units);
  check_total("total_trials", trials);
  return verdict;
}

// --- whole searches ---

// Trials run one after another in the order of their creation.
class SequentialRun {
 public:
  explicit SequentialRun(const Value& test)
      : method_(brackets_in(test), true, core::TrialMaker(any_space(), 0)),
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
  Value stopped_at() const { return in_words(stopped_at_); }

  // As the case has them: units, trials and where they were stopped, by bracket.
  Value brackets() const {
    std::map<std::int64_t, Stops> stopped;
    std::map<std::int64_t, std::int64_t> trials;
    const Value snapshot = method_.snapshot();
    const Value::Array& bracket_of = snapshot["bracket_of"].as_array();
    for (std::size_t trial = 0; trial < bracket_of.size(); ++trial) {
      ++trials[bracket_of[trial].as_int()];
      const auto stop = stop_of_.find(static_cast<SearchTrial>(trial));
      if (stop != stop_of_.end()) ++stopped[bracket_of[trial].as_int()][stop->second];
    }
    Value::Array all;
    for (const Value& bracket : snapshot["brackets"].as_array()) {
      const auto number = static_cast<std::int64_t>(all.size());
      Value::Array units;
      for (const Value& rung : bracket["ladder"]["rungs"].as_array())
        units.push_back(rung["units"]);
      all.push_back(Value::Object{{"units", std::move(units)},
                                  {"trials", trials[number]},
                                  {"stopped_at", in_words(stopped[number])}});
    }
    return all;
  }

 private:
  using Stops = std::map<std::int64_t, std::int64_t>;  // trials by time

  static Value in_words(const Stops& stops) {
    Value::Object all;
    for (const auto& [time, count] : stops) all[cat(time)] = count;
    return all;
  }

  static std::vector<AsyncHalvingSearch> brackets_in(const Value& test) {
    if (test["searcher"] == Value("adaptive_asha")) {
      return core::adaptive_brackets(adaptive_search_of(test["config"]));
    }
    return {search_of(test["config"])};
  }

  void train(SearchTrial trial) {
    for (std::int64_t time = from_; time <= to_; time += every_) {
      metric_ += change_;
      if (!take(method_.validation_completed({trial, metric_, time}))) continue;
      ++stopped_at_[time];
      stop_of_[trial] = time;
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
  Stops stopped_at_;
  std::map<SearchTrial, std::int64_t> stop_of_;
};

std::optional<std::string> skip_unknown_searcher(const Value& test) {
  const Value& name = test["searcher"];
  if (name.is_null() || name == Value("async_halving") || name == Value("adaptive_asha")) return {};
  return cat("no such search: ", name.is_string() ? name.as_string() : to_json(name));
}

Verdict run_asha(const Value& test) {
  SequentialRun search(test);
  search.run();
  Verdict verdict = expect_equal("trials", test["trials"], search.trials());
  if (!verdict) verdict = expect_equal("stopped_at", test["stopped_at"], search.stopped_at());
  if (verdict || test["brackets"].is_null()) return verdict;
  return expect_equal("brackets", test["brackets"], search.brackets());
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
                       [](const core::PauseTrial& pause) { return cat("pause ", pause.trial); },
                       [](const core::ResumeTrial& one) { return cat("resume ", one.trial); },
                       [](const core::Shutdown&) { return std::string("shutdown"); },
                   },
                   operation));
  }
  return actions;
}

Verdict run_trace(const Value& test) {
  AsyncHalvingMethod method({search_of(test["config"])}, bool_or(test, "smaller_is_better", true),
                            core::TrialMaker(any_space(), 0));
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
  for (const Value& rung : state["brackets"].as_array()[0]["ladder"]["rungs"].as_array()) {
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
      rung.entries.insert({.metric = metrics[place].as_array().at(1).as_double(),
                           .trial = static_cast<int>(place)});
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const int trial = rung.entries.at(static_cast<std::int64_t>(i)).trial;
      if (trial == static_cast<int>(i)) continue;
      return cat("place ", i, " of rung ", level, ": got the recorded one of place ", trial);
    }
  }
  const auto judged = static_cast<std::int64_t>(recorded[0]["metrics"].as_array().size());
  return expect_equal("trials on the lowest rung", judged,
                      int_or(test, "trials_completed", 0) - int_or(test, "invalid_trials", 0));
}

}  // namespace

std::vector<OracleSection> asha_sections() {
  return {{"make_rungs", run_make_rungs},
          {"bracket_max_trials", run_bracket_max_trials},
          {"bracket_max_concurrent", run_bracket_max_concurrent},
          {"adaptive_brackets", run_adaptive_brackets},
          {"floor_log_gotcha", run_floor_log},
          {"adaptive_simulate", run_adaptive_simulate},
          {"asha_insert_metric", run_insert_metric},
          {"asha_get_metric", run_get_metric},
          {"asha_stop_rule", run_stop_rule},
          {"asha_run", run_asha, skip_unknown_searcher},
          {"asha_trace", run_trace},
          {"asha_recorded_state", run_recorded_state}};
}

}  // namespace dt::sim
