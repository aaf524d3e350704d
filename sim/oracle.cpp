#include "sim/oracle.h"

#include <algorithm>
#include <exception>

namespace dt::sim {
namespace {

const OracleSection* runner_of(const std::vector<OracleSection>& runners, const std::string& name) {
  const auto found = std::find_if(runners.begin(), runners.end(),
                                  [&](const OracleSection& runner) { return runner.name == name; });
  return found == runners.end() ? nullptr : &*found;
}

// A case that lacks a field, or has it in another type, fails alone: Value's accessors throw.
std::optional<std::string> run_case(const OracleSection& runner, const Value& test_case) {
  try {
    return runner.run(test_case);
  } catch (const std::exception& error) {
    return cat("the case cannot be read: ", std::string_view(error.what()));
  }
}

std::optional<std::string> skip_reason(const OracleSection& runner, const Value& test_case) {
  return runner.skip_reason ? runner.skip_reason(test_case) : std::nullopt;
}

void run_named_case(const OracleSection& runner, const std::string& name, const Value& test_case,
                    std::ostream& out, OracleCounts& counts) {
  if (const auto reason = skip_reason(runner, test_case)) {
    out << "skipped " << name << ": " << *reason << "\n";
    return;
  }
  const std::optional<std::string> failure = run_case(runner, test_case);
  if (failure) {
    out << "failed " << name << ": " << *failure << "\n";
  } else {
    out << "passed " << name << "\n";
  }
  ++(failure ? counts.failed : counts.passed);
}

void run_section(const OracleSection& runner, const Value& cases, std::ostream& out,
                 OracleCounts& counts) {
  if (cases.is_object()) {
    for (const auto& [key, value] : cases.as_object()) {
      run_named_case(runner, cat(runner.name, "[", key, "]"),
                     Value::Object{{"key", key}, {"value", value}}, out, counts);
    }
    return;
  }
  int number = 0;
  Value fixture;
  for (Value test_case : cases.as_array()) {
    const std::string name = cat(runner.name, "[", number++, "]");
    if (const Value* given = test_case.find("fixture")) {
      fixture = *given;
      continue;
    }
    if (!fixture.is_null()) test_case.set("fixture", fixture);
    run_named_case(runner, name, test_case, out, counts);
  }
}

}  // namespace

std::vector<OracleSection> all_sections() {
  std::vector<OracleSection> all;
  for (auto&& some : {search_sections(), asha_sections(), sched_sections(), queue_sections(),
                      config_sections(), state_sections(), gang_sections(),
                      checkpoint_sections(), list_sections(),
                      merge_sections()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Result<OracleCounts> run_oracle(const Value& oracle, const std::optional<std::string>& section,
                                const std::vector<OracleSection>& runners, std::ostream& out) {
  if (!oracle.is_object()) {
    return invalid_argument("the oracle must be a map of sections, got ", oracle.type_name());
  }
  if (section && !oracle.find(*section)) {
    return not_found("the oracle has no section ", *section);
  }
  OracleCounts counts;
  for (const auto& [name, cases] : oracle.as_object()) {
    if (section && name != *section) continue;
    const OracleSection* runner = runner_of(runners, name);
    if (!runner) {
      out << "skipped " << name << ": " << reason_without_runner(name).value_or("no runner") << "\n";
    } else if (!cases.is_array() && !cases.is_object()) {
      out << "skipped " << name << ": neither a list of cases nor a map\n";
    } else {
      run_section(*runner, cases, out, counts);
    }
  }
  return counts;
}

}  // namespace dt::sim
