// dt-oracle FILE [--section S]: runs the rules of core/ against recorded right answers. Exit code 0
// when every case passed, 1 when one failed, 2 when the input cannot be used.
#include <fstream>
#include <iostream>
#include <sstream>

#include "formats/yaml.h"
#include "sim/oracle.h"

namespace {

constexpr const char* usage = "usage: dt-oracle FILE [--section NAME]\n";

constexpr dt::YamlLimits file_limits{.max_bytes = 256 << 20, .max_values = 50'000'000};

struct Arguments {
  std::string file;
  std::optional<std::string> section;
};

std::optional<Arguments> arguments_of(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--section" && i + 1 < count && !arguments.section) {
      arguments.section = words[++i];
    } else if (arguments.file.empty() && word.substr(0, 2) != "--") {
      arguments.file = word;
    } else {
      return std::nullopt;
    }
  }
  if (arguments.file.empty()) return std::nullopt;
  return arguments;
}

dt::Result<dt::sim::OracleCounts> run(const Arguments& arguments) {
  std::ifstream input(arguments.file);
  std::stringstream text;
  if (!input || !(text << input.rdbuf())) return dt::not_found("cannot read ", arguments.file);
  dt::Result<dt::YamlDocument> oracle = dt::parse_yaml(text.str(), file_limits);
  if (!oracle.ok()) return dt::Status(oracle.status()).with_context(arguments.file);
  return dt::sim::run_oracle(oracle->value, arguments.section, dt::sim::all_sections(), std::cout);
}

}  // namespace

int main(int count, char** words) {
  const std::optional<Arguments> arguments = arguments_of(count, words);
  if (!arguments) {
    std::cerr << usage;
    return 2;
  }
  const auto counts = run(*arguments);
  if (!counts.ok()) {
    std::cerr << "dt-oracle: " << counts.status().text() << "\n";
    return 2;
  }
  std::cout << counts->passed << " passed, " << counts->failed << " failed\n";
  return counts->failed == 0 ? 0 : 1;
}
