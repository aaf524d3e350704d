// A line that stays at the bottom of a terminal while others scroll above it: a bar, a percentage and a
// few words. Where stdout is no terminal (or TERM is dumb) there is no bar, and print_above() just
// prints. The line is gone when the object is. One thread.
#pragma once

#include <string>

namespace dt::cli {

// "▓▓▓▓▓░░░░░  43%"; out of range is clamped.
std::string progress_bar(double fraction, int columns);

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // `words` is plain text; what does not fit the terminal's width is cut.
  void show(double fraction, const std::string& words);
  void print_above(const std::string& line);
  void clear();

 private:
  void draw() const;

  const bool is_terminal_;
  std::string shown_;
};

}  // namespace dt::cli
