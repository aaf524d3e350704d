// dt-sim run --seeds A..B: the brains of master, agents and shims in worlds of faults. Exit code 0
// when every seed passed, 1 when one failed, 2 when the arguments are wrong.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "sim/run.h"

namespace {

constexpr const char* usage =
    "usage: dt-sim run --seeds A..B [--agents N] [--jobs N] [--seconds S] [--processes N]\n"
    "                  [--coverage HITS] [--trace]\n"
    "  --seeds A..B     the worlds to run, one a seed\n"
    "  --agents N       nodes of each (default 60)\n"
    "  --jobs N         experiments of each (default 500)\n"
    "  --seconds S      how long faults happen in each, in virtual time (default 1200)\n"
    "  --processes N    run seeds side by side (default: one a core); the output is the same\n"
    "  --coverage HITS  print which faults struck what, and fail when a cell has fewer hits\n"
    "  --trace          tell everything that happens, a line an event\n";

std::optional<std::uint64_t> number_of(const std::string& text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

bool read_seeds(const std::string& text, dt::sim::RunOptions& options) {
  const std::size_t dots = text.find("..");
  const auto first = number_of(text.substr(0, dots));
  const auto last = dots == std::string::npos ? first : number_of(text.substr(dots + 2));
  if (!first || !last || *last < *first) return false;
  options.first = *first;
  options.last = *last;
  return true;
}

bool read_option(const std::string& name, const std::string& text, dt::sim::RunOptions& options) {
  if (name == "--seeds") return read_seeds(text, options);
  const auto number = number_of(text);
  if (!number || *number > 10'000'000) return false;
  const int small = static_cast<int>(*number);
  if (name == "--agents") options.scale.agents = std::max(small, 1);
  if (name == "--jobs") options.scale.jobs = std::max(small, 1);
  if (name == "--seconds") options.scale.storm = dt::Duration(std::int64_t{small} * 1000);
  if (name == "--processes") options.processes = std::max(small, 1);
  if (name == "--coverage") options.least_hits = small;
  return name == "--agents" || name == "--jobs" || name == "--seconds" || name == "--processes" ||
         name == "--coverage";
}

std::optional<dt::sim::RunOptions> options_of(int count, char** words) {
  if (count < 2 || std::string(words[1]) != "run") return std::nullopt;
  dt::sim::RunOptions options;
  options.processes = std::max(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), 1);
  bool has_seeds = false;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--trace") {
      options.trace = true;
      continue;
    }
    if (i + 1 == count || !read_option(word, words[i + 1], options)) return std::nullopt;
    has_seeds |= word == "--seeds";
    ++i;
  }
  if (!has_seeds) return std::nullopt;
  return options;
}

double cpu_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return seconds;
}

}  // namespace

int main(int count, char** words) {
  const auto options = options_of(count, words);
  if (!options) {
    std::cerr << usage;
    return 2;
  }
  dt::sim::RunTotals totals;
  const auto start = std::chrono::steady_clock::now();
  const bool passed = dt::sim::run_seeds(*options, std::cout, totals);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const double cpu = std::max(cpu_seconds(), 1e-6);
  std::cerr << totals.events << " events, " << totals.virtual_time.count() / 3'600'000
            << " virtual hours in " << took.count() << " s; "
            << static_cast<std::int64_t>(static_cast<double>(totals.events) / cpu)
            << " events a second of CPU\n";
  return passed ? 0 : 1;
}
