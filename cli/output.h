// How dtctl shows things: tables that line up, times and durations for people, JSON for scripts
// (a thing's own id is `id`), errors with their way out. User text is made safe for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::cli {

// Exit codes, for scripts. CLI11's own usage errors are mapped to `usage` too.
enum class Exit { ok = 0, failed = 1, usage = 2, unreachable = 3, canceled = 4 };

class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Control characters and terminal escapes become visible; UTF-8 stays.
std::string safe_text(const std::string& text);
std::string cut(const std::string& text, std::size_t columns);  // with … when it is longer
std::string local_time(std::int64_t unix_ms);                   // "2026-11-30 14:12:05", "-" for 0
std::string duration(std::int64_t ms);                          // "4s", "3m 20s", "2h 05m"
std::string number(double value);                               // six significant digits
std::string short_hparams(const std::string& hparams_json);     // "hidden=64 lr=0.01"

void print(const std::string& line);     // stdout, flushed
void print_error(const Status& status);  // stderr: the message, then the way out
Exit exit_of(const Status& status);

void print_json(const Value& value);

}  // namespace dt::cli
