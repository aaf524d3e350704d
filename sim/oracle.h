// dt-oracle's registry: a section of the oracle file (cases with expected results, kept as YAML)
// has a runner here, or is reported as skipped. A runner gets one case and says what went wrong, as
// "expected … got …", or nothing when the case passed. Runners are pure: no state between cases; an
// item with a `fixture` is no case, and those after it have it too.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::sim {

struct OracleSection {
  std::string name;
  // A section that is a map has a case {key, value} for each of its members.
  std::function<std::optional<std::string>(const Value& test_case)> run;
  // Says why a case cannot be run yet; such a case neither passes nor fails.
  std::function<std::optional<std::string>(const Value& test_case)> skip_reason = {};
};

// Each in a file of its own: oracle_search.cpp, oracle_asha.cpp, ….
std::vector<OracleSection> search_sections();
std::vector<OracleSection> asha_sections();
std::vector<OracleSection> sched_sections();
std::vector<OracleSection> queue_sections();
std::vector<OracleSection> config_sections();
std::vector<OracleSection> state_sections();
std::vector<OracleSection> gang_sections();
std::vector<OracleSection> checkpoint_sections();
std::vector<OracleSection> list_sections();
std::vector<OracleSection> merge_sections();

std::vector<OracleSection> all_sections();

// Why a section has no runner, if it never will have one.
std::optional<std::string> reason_without_runner(const std::string& section);

struct OracleCounts {
  int passed = 0;
  int failed = 0;
};

// Runs every section of `oracle`, or the one named, and prints a line a case to `out`. An error if
// the named section is not there.
Result<OracleCounts> run_oracle(const Value& oracle, const std::optional<std::string>& section,
                                const std::vector<OracleSection>& runners, std::ostream& out);

}  // namespace dt::sim
