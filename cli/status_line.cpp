#include "cli/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/output.h"

namespace dt::cli {
namespace {

constexpr int bar_columns = 24;
constexpr const char* erase_line = "\r\033[2K";

bool stdout_draws() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string progress_bar(double fraction, int columns) {
  const double within = fraction > 0 ? std::min(fraction, 1.0) : 0;  // NaN is 0
  const int full = static_cast<int>(within * columns);
  std::string bar;
  for (int i = 0; i < columns; ++i) bar += i < full ? "▓" : "░";
  char percent[8];
  std::snprintf(percent, sizeof percent, " %3d%%", static_cast<int>(within * 100));
  return bar + percent;
}

StatusLine::StatusLine() : is_terminal_(stdout_draws()) {}

void StatusLine::show(double fraction, const std::string& words) {
  if (!is_terminal_) return;
  shown_ = cut(progress_bar(fraction, bar_columns) + "  " + safe_text(words), terminal_columns() - 1);
  draw();
}

void StatusLine::print_above(const std::string& line) {
  if (!shown_.empty()) std::fputs(erase_line, stdout);
  print(line);
  if (!shown_.empty()) draw();
}

void StatusLine::clear() {
  if (shown_.empty()) return;
  shown_.clear();
  std::fputs(erase_line, stdout);
  std::fflush(stdout);
}

void StatusLine::draw() const {
  std::fputs(erase_line, stdout);
  std::fputs(shown_.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace dt::cli
