// The oracle's cases about checkpoints: which stay when an experiment has ended, and so which go.
#include <set>

#include "core/experiment/checkpoint_keep.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using Numbers = std::set<std::int64_t>;

Numbers numbers_of(const Value& list) {
  Numbers numbers;
  for (const Value& number : list.as_array()) numbers.insert(number.as_int());
  return numbers;
}

std::string text_of(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += cat(text.empty() ? "" : " ", number);
  return "[" + text + "]";
}

// A row is [trial, checkpoint, metric or null].
Numbers kept(const Value& test_case) {
  std::vector<core::CheckpointFact> facts;
  for (const Value& row : test_case["rows"].as_array()) {
    const Value::Array& cells = row.as_array();
    core::CheckpointFact fact{.id = {std::to_string(cells[1].as_int())},
                              .trial = {cells[0].as_int()}};
    if (cells[2].is_number()) fact.metric = cells[2].as_double();
    facts.push_back(fact);
  }
  const Value& policy = test_case["policy"];
  const auto count = [&](const char* key) { return static_cast<int>(int_or(policy, key, 0)); };
  const core::CheckpointStorageConfig config{.save_experiment_best = count("experiment_best"),
                                             .save_trial_best = count("trial_best"),
                                             .save_trial_latest = count("trial_latest")};
  Numbers numbers;
  for (const CheckpointId& id :
       core::kept_checkpoints(facts, config, bool_or(test_case, "smaller_is_better", true))) {
    numbers.insert(std::stoll(id.value));
  }
  return numbers;
}

Verdict compare(const Numbers& expected, const Numbers& got) {
  if (expected == got) return std::nullopt;
  return cat("expected ", text_of(expected), ", got ", text_of(got));
}

Verdict run_keep(const Value& test_case) {
  return compare(numbers_of(test_case["kept"]), kept(test_case));
}

Verdict run_delete(const Value& test_case) {
  Numbers gone;
  for (const Value& row : test_case["rows"].as_array()) gone.insert(row.as_array()[1].as_int());
  for (const std::int64_t id : kept(test_case)) gone.erase(id);
  return compare(numbers_of(test_case["deleted"]), gone);
}

std::optional<std::string> rule_in_words(const Value& test_case) {
  if (!test_case["rows"].is_null()) return std::nullopt;
  return "a rule in words: tests/unit/core/master/tidy_checkpoints_test.cpp has the case";
}

}  // namespace

std::vector<OracleSection> checkpoint_sections() {
  return {{"checkpoint_gc_keep", run_keep, rule_in_words},
          {"checkpoint_gc_delete", run_delete, rule_in_words}};
}

}  // namespace dt::sim
