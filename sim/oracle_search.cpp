// Oracle sections of the random streams, of sampling and of the searchers without rungs.
#include <algorithm>
#include <deque>
#include <limits>

#include "base/numpy_random.h"
#include "base/overload.h"
#include "core/search/grid.h"
#include "core/search/method.h"
#include "core/search/preview.h"
#include "core/search/sampler.h"
#include "formats/json.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::ExitReason;
using core::HyperparameterSpace;
using core::SearcherConfig;

Value list(const std::vector<Value>& items) { return Value::Array(items); }

// --- random streams ---

Verdict run_rng_numpy(const Value& test) {
  NumpyRandom random(static_cast<std::uint32_t>(test["seed"].as_int()));
  const bool integers = test["fn"] == Value("randint");
  const std::size_t wanted = test["first"].as_array().size();
  std::vector<Value> first;
  Value last;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < test["n"].as_int(); ++i) {
    if (integers) {
      last = random.integer(test["lo"].as_int(), test["hi"].as_int());
      sum += static_cast<std::uint64_t>(last.as_int());
    } else {
      last = random.uniform(test["lo"].as_double(), test["hi"].as_double());
    }
    if (first.size() < wanted) first.push_back(last);
  }
  Verdict verdict = expect_equal("first", test["first"], list(first));
  if (!verdict) verdict = expect_equal("last", test["last"], last);
  if (verdict || !integers) return verdict;
  return expect_equal("sum_u64", test["sum_u64"], std::to_string(sum));
}

Verdict run_rng_shuffle(const Value& test) {
  NumpyRandom random(static_cast<std::uint32_t>(test["seed"].as_int()));
  std::vector<Value> epochs;
  for (std::size_t i = 0; i < test["epochs"].as_array().size(); ++i) {
    Value::Array items = test["input"].as_array();
    random.shuffle(items);
    epochs.push_back(items);
  }
  return expect_equal("epochs", test["epochs"], list(epochs));
}

Verdict run_trial_creation_stream(const Value& test) {
  core::TrialMaker maker(space_of(test["hparams"]),
                         static_cast<std::uint32_t>(test["seed"].as_int()));
  std::vector<Value> creates;
  for (std::size_t i = 0; i < test["creates"].as_array().size(); ++i) {
    const core::CreateTrial create = maker.sampled();
    creates.push_back(Value::Object{{"request_id", create.request_id},
                                    {"trial_seed", std::int64_t{create.trial_seed}},
                                    {"hparams", create.hparams}});
  }
  return expect_equal("creates", test["creates"], list(creates));
}

// --- whole searches, where every trial completes on its own ---

struct SearchRun {
  std::vector<core::CreateTrial> created;
  int stopped = 0;
  int most_at_once = 0;
  std::vector<core::Shutdown> shutdowns;
};

SearchRun run_search(const SearcherConfig& config, const HyperparameterSpace& space,
                     ExitReason reason = ExitReason::completed) {
  core::Searcher searcher(config, space, 0);
  SearchRun run;
  std::deque<core::SearchTrial> running;
  const auto take = [&](const core::SearchOperations& operations) {
    for (const auto& operation : operations) {
      std::visit(Overload{
                     [&](const core::CreateTrial& create) {
                       run.created.push_back(create);
                       running.push_back(create.trial);
                     },
                     [&](const core::StopTrial&) { ++run.stopped; },
                     [](const core::PauseTrial&) {},
                     [](const core::ResumeTrial&) {},
                     [&](const core::Shutdown& shutdown) { run.shutdowns.push_back(shutdown); },
                 },
                 operation);
    }
    run.most_at_once = std::max(run.most_at_once, static_cast<int>(running.size()));
  };
  take(searcher.start());
  while (!running.empty()) {
    const core::SearchTrial trial = running.front();
    running.pop_front();
    take(searcher.trial_exited(trial, reason));
  }
  return run;
}

Verdict expect_number(const std::string& what, const Value& expected, std::size_t got) {
  if (expected.is_null()) return std::nullopt;
  return expect_equal(what, expected, static_cast<std::int64_t>(got));
}

core::RandomSearch random_search_of(const Value& config) {
  return {.max_trials = static_cast<int>(int_or(config, "max_trials", 1)),
          .max_concurrent_trials = static_cast<int>(int_or(config, "max_concurrent_trials", 16))};
}

Verdict run_random_search(const Value& test) {
  const Value& config = test["config"];
  SearcherConfig searcher{.metric = "loss", .smaller_is_better = true, .method = {}};
  if (!bool_or(config, "single", false)) searcher.method = random_search_of(config);
  const SearchRun run = run_search(searcher, space_of(test["hparams"]));
  if (run.shutdowns.size() != 1) return cat("expected 1 shutdown, got ", run.shutdowns.size());
  const Verdict created = expect_number("created", test["created"], run.created.size());
  return created ? created
                 : expect_number("stopped", test["stopped"], static_cast<std::size_t>(run.stopped));
}

// --- grid ---

Verdict run_grid_size(const Value& test) {
  HyperparameterSpace space;
  for (const Value& count : test["counts"].as_array()) {
    space[cat("axis", space.size())] = {core::DoubleParameter{0, 1, count.as_int()}};
  }
  return expect_equal("points", test["points"], core::GridSpace(space).size());
}

Verdict run_grid_points(const Value& test) {
  const core::GridSpace grid(space_of(test["hparams"]));
  Value::Array expected = test["points"].as_array();
  Value::Array points;
  for (std::int64_t i = 0; i < grid.size(); ++i) points.push_back(grid.point(i));
  if (!bool_or(test, "ordered", true)) {
    const auto by_text = [](const Value& a, const Value& b) { return to_json(a) < to_json(b); };
    std::sort(points.begin(), points.end(), by_text);
    std::sort(expected.begin(), expected.end(), by_text);
  }
  return expect_equal("points", expected, points);
}

Verdict run_grid_search(const Value& test) {
  const auto limit = static_cast<int>(int_or(test, "max_concurrent_trials", 16));
  const SearchRun run = run_search({.metric = "loss",
                                    .smaller_is_better = true,
                                    .method = core::GridSearch{.max_concurrent_trials = limit}},
                                   space_of(test["hparams"]));
  if (limit > 0 && run.most_at_once > limit) {
    return cat("expected at most ", limit, " trials at once, got ", run.most_at_once);
  }
  if (run.shutdowns.size() != 1) return cat("expected 1 shutdown, got ", run.shutdowns.size());
  if (test.find("creation_order_a") != nullptr) {
    Value::Array order;
    for (const auto& create : run.created) order.push_back(create.hparams["a"]);
    return expect_equal("creation_order_a", test["creation_order_a"], order);
  }
  return expect_number("created", test["created"], run.created.size());
}

// --- preview ---

std::optional<std::string> skip_simulate_other(const Value& test) {
  const Value& name = test["searcher"];
  if (name == Value("single") || name == Value("random") || name == Value("grid")) return {};
  return cat(name.is_string() ? name.as_string() : to_json(name), " is not built yet");
}

Verdict run_simulate_other(const Value& test) {
  SearcherConfig searcher;
  if (test["searcher"] == Value("grid")) searcher.method = core::GridSearch{};
  if (test["searcher"] == Value("random")) {
    searcher.method = random_search_of(test["config"].is_object() ? test["config"] : test);
  }
  const auto lines = core::preview_search(searcher, space_of(test["hparams"]));
  if (lines.size() != 1 || lines.front().units) return "expected one line, to the trials' own end";
  return expect_equal("trials", test["trials"], lines.front().trials);
}

// --- shutdown: the rules are told in words, so each has its own scenario ---

SearcherConfig random_config(int max_trials, int max_concurrent_trials) {
  return {.metric = "loss",
          .smaller_is_better = true,
          .method = core::RandomSearch{.max_trials = max_trials,
                                       .max_concurrent_trials = max_concurrent_trials}};
}

bool has_shutdown(const core::SearchOperations& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const auto& operation) {
    return std::holds_alternative<core::Shutdown>(operation);
  });
}

Verdict shuts_down_when_all_are_closed() {
  core::Searcher searcher(random_config(3, 2), {}, 0);
  (void)searcher.start();
  if (has_shutdown(searcher.trial_exited(0, ExitReason::completed))) return "shut down at 1 of 3";
  if (has_shutdown(searcher.trial_exited(2, ExitReason::errored))) return "shut down at 2 of 3";
  if (!has_shutdown(searcher.trial_exited(1, ExitReason::completed))) return "no shutdown at 3";
  return std::nullopt;
}

Verdict tells_failure_and_cancel() {
  const core::Shutdown failed =
      run_search(random_config(3, 2), {}, ExitReason::errored).shutdowns.at(0);
  const core::Shutdown cancelled =
      run_search(random_config(3, 2), {}, ExitReason::user_cancelled).shutdowns.at(0);
  if (failed != core::Shutdown{.cancel = false, .failure = true}) return "failure not told";
  if (cancelled != core::Shutdown{.cancel = true, .failure = false}) return "cancel not told";
  core::Searcher mixed(random_config(2, 2), {}, 0);
  (void)mixed.start();
  (void)mixed.trial_exited(0, ExitReason::errored);
  const auto last = mixed.trial_exited(1, ExitReason::user_cancelled);
  if (last != core::SearchOperations{core::Shutdown{}}) return "one failure of two was told as all";
  return std::nullopt;
}

Verdict ignores_a_second_early_exit() {
  core::Searcher searcher(random_config(4, 2), {}, 0);
  (void)searcher.start();
  if (searcher.trial_exited(0, ExitReason::errored).empty()) return "no replacement";
  if (!searcher.trial_exited(0, ExitReason::errored).empty()) return "the second exit had effects";
  const int closed = searcher.trials_closed();
  return closed == 1 ? Verdict() : cat("expected 1 trial closed, got ", closed);
}

Verdict never_shows_progress_that_is_no_number() {
  core::Searcher searcher(random_config(2, 2), {}, 0);
  if (searcher.progress() != 0) return "progress before the start";
  (void)searcher.start();
  searcher.set_trial_progress(0, std::numeric_limits<double>::quiet_NaN());
  searcher.set_trial_progress(1, -std::numeric_limits<double>::infinity());
  return expect_equal("progress", 0.0, searcher.progress());
}

Verdict run_searcher_shutdown(const Value& test) {
  const std::string& rule = test["rule"].as_string();
  const auto tells = [&](const char* words) { return rule.find(words) != std::string::npos; };
  if (tells("second early-exit")) return ignores_a_second_early_exit();
  if (tells("progress NaN")) return never_shows_progress_that_is_no_number();
  if (tells("shutdown.failure")) return tells_failure_and_cancel();
  if (tells("trials_requested == trials_closed")) return shuts_down_when_all_are_closed();
  return cat("no check is written for the rule '", rule, "'");
}

}  // namespace

std::vector<OracleSection> search_sections() {
  return {{"rng_numpy", run_rng_numpy},
          {"rng_shuffle", run_rng_shuffle},
          {"trial_creation_stream", run_trial_creation_stream},
          {"random_search", run_random_search},
          {"grid_size", run_grid_size},
          {"grid_points", run_grid_points},
          {"grid_search", run_grid_search},
          {"simulate_other", run_simulate_other, skip_simulate_other},
          {"searcher_shutdown", run_searcher_shutdown}};
}

}  // namespace dt::sim
