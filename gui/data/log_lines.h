// Lines of a log in memory: a million of them in a few large blocks. The oldest go when there are
// too many. A line keeps its number for ever, so a view does not move when others go. Also what a
// line of raw output becomes before it is kept. Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dt::gui {

struct LogEntry {
  std::int64_t time_ms = 0;
  int attempt = 0;
  int rank = 0;           // −1−n: node n's own words
  bool is_error = false;  // written to stderr
  std::string_view text;  // UTF-8; of a line in LogLines: until lines go
};

struct LogLimits {
  std::size_t bytes = 256 << 20;
  std::int64_t lines = 3'000'000;
};

class LogLines {
 public:
  explicit LogLines(LogLimits limits = {}) : limits_(limits) {}

  void append(const LogEntry& entry);
  void clear();

  // Lines first() to end() − 1 are there.
  std::int64_t first() const { return first_; }
  std::int64_t end() const { return end_; }
  std::int64_t size() const { return end_ - first_; }
  LogEntry line(std::int64_t number) const;
  std::size_t bytes() const { return bytes_; }
  // The first line at or after the time, in order of arrival; end() if there is none.
  std::int64_t find_time(std::int64_t time_ms) const;

 private:
  struct Head {
    std::int64_t time_ms;
    std::size_t offset;
    std::uint32_t size;
    std::int32_t rank;
    std::int32_t attempt;
    bool is_error;
  };
  struct Block {
    std::string text;
    std::vector<Head> heads;
  };

  LogLimits limits_;
  std::deque<Block> blocks_;
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  std::size_t bytes_ = 0;
};

// What a terminal would show in the end: colour codes and other escapes go, and of a line that was
// written over and over (a progress bar) the last version stays. An unfinished escape goes too.
std::string cleaned_log_text(std::string_view raw);

enum class LogLevel { debug, info, warning, error };
// By the words that programs use: "ERROR", "[W", "Traceback", …
LogLevel level_of(std::string_view text);

// Whether the text holds the words, without regard to the case of ASCII letters.
bool holds_text(std::string_view text, std::string_view lowered_words);
std::string lowered(std::string_view text);

}  // namespace dt::gui
