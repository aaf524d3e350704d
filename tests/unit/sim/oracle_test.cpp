#include "sim/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "formats/yaml.h"

namespace dt::sim {
namespace {

// A section whose cases are {n: …} and pass when n is even; cases with `later` are skipped.
OracleSection even_numbers() {
  return {.name = "even",
          .run = [](const Value& test_case) -> std::optional<std::string> {
            const std::int64_t number = test_case["n"].as_int();
            if (number % 2 == 0) return std::nullopt;
            return cat("expected an even number, got ", number);
          },
          .skip_reason = [](const Value& test_case) -> std::optional<std::string> {
            if (!test_case.find("later")) return std::nullopt;
            return "not yet";
          }};
}

struct Outcome {
  std::string text;
  Result<OracleCounts> counts;
};

Outcome run(const std::string& yaml, std::optional<std::string> section = std::nullopt) {
  std::ostringstream out;
  auto counts = run_oracle(parse_yaml(yaml)->value, section, {even_numbers()}, out);
  return {out.str(), std::move(counts)};
}

TEST(Oracle, PrintsALineACase) {
  const Outcome result =
      run("even: [{n: 2}, {n: 3}, {later: true}]\nother: [{a: 1}, {a: 2}]\nmeta: {v: 1}\n");
  EXPECT_EQ(result.text,
            "passed even[0]\n"
            "failed even[1]: expected an even number, got 3\n"
            "skipped even[2]: not yet\n"
            "skipped meta: tells of the file itself\n"
            "skipped other: no runner\n");
  EXPECT_EQ(result.counts->passed, 1);
  EXPECT_EQ(result.counts->failed, 1);
}

TEST(Oracle, ASectionThatIsAMapHasACaseForEachMember) {
  OracleSection table{.name = "table", .run = [](const Value& test_case) {
                        const bool right = test_case["value"] == Value("right");
                        return right ? std::optional<std::string>() : "not right";
                      }};
  std::ostringstream out;
  const auto counts =
      run_oracle(parse_yaml("table: {A: right, B: wrong}")->value, std::nullopt, {table}, out);
  EXPECT_EQ(out.str(), "passed table[A]\nfailed table[B]: not right\n");
  EXPECT_EQ(counts->passed, 1);
}

TEST(Oracle, ACaseThatCannotBeReadFailsAlone) {
  const Outcome result = run("even: [{n: two}, {n: 2}]");
  EXPECT_EQ(result.text.rfind("failed even[0]: the case cannot be read", 0), 0u) << result.text;
  EXPECT_EQ(result.counts->passed, 1);
  EXPECT_EQ(result.counts->failed, 1);
}

TEST(Oracle, RunsOneSectionWhenAsked) {
  const std::string yaml = "even: [{n: 2}]\nother: [{a: 1}]\n";
  EXPECT_EQ(run(yaml, "even").text, "passed even[0]\n");
  EXPECT_EQ(run(yaml, "odd").counts.status().text(), "the oracle has no section odd");
}

TEST(Oracle, RefusesWhatIsNoOracle) {
  EXPECT_EQ(run("[1]").counts.status().text(), "the oracle must be a map of sections, got list");
}

// Every rule that this release promises has a runner.
TEST(Oracle, HasTheRunnersOfThisRelease) {
  std::vector<std::string> names;
  for (const OracleSection& section : all_sections()) names.push_back(section.name);
  for (const char* name : {"rng_numpy",
                           "rng_shuffle",
                           "trial_creation_stream",
                           "make_rungs",
                           "asha_insert_metric",
                           "asha_get_metric",
                           "asha_stop_rule",
                           "asha_run",
                           "random_search",
                           "grid_size",
                           "grid_points",
                           "grid_search",
                           "simulate_other",
                           "searcher_shutdown",
                           "priority",
                           "find_fits",
                           "fit_score",
                           "hash_distance",
                           "dedicated_fits",
                           "expconf_validate",
                           "expconf_defaults",
                           "bracket_max_trials",
                           "bracket_max_concurrent",
                           "adaptive_brackets",
                           "floor_log_gotcha",
                           "adaptive_simulate",
                           "trial_transitions",
                           "experiment_transitions",
                           "state_sets",
                           "rendezvous",
                           "preemption_signal",
                           "agent_reconnect"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

}  // namespace
}  // namespace dt::sim
