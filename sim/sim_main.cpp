// dt-sim run --seeds A..B [--trace] [--hours H]: the brains of master, agents and shims in a world
// of faults. Exit code 0 when every seed passed, 1 when one failed, 2 when the arguments are wrong.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "sim/run.h"

namespace {

constexpr const char* usage =
    "usage: dt-sim run --seeds A..B [--trace] [--hours H]\n"
    "  --seeds A..B  the worlds to run, one a seed\n"
    "  --trace       tell everything that happens\n"
    "  --hours H     how long faults happen in each, in virtual hours (default 0.67)\n";

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

bool read_hours(const std::string& text, dt::sim::RunOptions& options) {
  char* end = nullptr;
  const double hours = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(hours > 0 && hours <= 1000)) return false;
  options.storm = dt::Duration(static_cast<std::int64_t>(hours * 3'600'000));
  return true;
}

std::optional<dt::sim::RunOptions> options_of(int count, char** words) {
  if (count < 2 || std::string(words[1]) != "run") return std::nullopt;
  dt::sim::RunOptions options;
  bool has_seeds = false;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const std::string next = i + 1 < count ? words[i + 1] : "";
    if (word == "--trace") {
      options.trace = true;
    } else if (word == "--seeds" && read_seeds(next, options)) {
      has_seeds = true;
      ++i;
    } else if (word == "--hours" && read_hours(next, options)) {
      ++i;
    } else {
      return std::nullopt;
    }
  }
  if (!has_seeds) return std::nullopt;
  return options;
}

dt::sim::RunTotals totals;

// A VERIFY of a brain failed: it has said why, this says in which world.
void tell_seed(int) {
  char digits[24];
  char* first = digits + sizeof digits;
  for (std::uint64_t rest = totals.seed; first == digits + sizeof digits || rest > 0; rest /= 10) {
    *--first = static_cast<char>('0' + rest % 10);
  }
  const auto write_text = [](const char* text, std::size_t size) {
    if (::write(STDOUT_FILENO, text, size) < 0) std::_Exit(1);
  };
  constexpr char start[] = "SEED ";
  constexpr char end[] = " FAILED: a brain broke one of its own invariants, see above\n";
  write_text(start, sizeof start - 1);
  write_text(first, static_cast<std::size_t>(digits + sizeof digits - first));
  write_text(end, sizeof end - 1);
  std::_Exit(1);
}

}  // namespace

int main(int count, char** words) {
  const auto options = options_of(count, words);
  if (!options) {
    std::cerr << usage;
    return 2;
  }
  std::signal(SIGABRT, tell_seed);
  const auto start = std::chrono::steady_clock::now();
  const bool passed = dt::sim::run_seeds(*options, std::cout, totals);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cerr << totals.events << " events, " << totals.virtual_time.count() / 3'600'000
            << " virtual hours in " << took.count() << " s\n";
  return passed ? 0 : 1;
}
