#include "cli/output.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "formats/json.h"

namespace dt::cli {
namespace {

// Columns of UTF-8 text, counting every code point as one: good enough to line a table up.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - columns_of(row[i]) + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

std::string safe_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\t') {
      safe += '^';
      safe += static_cast<char>(c + '@');
    } else if (byte == 0x7f) {
      safe += "^?";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string cut(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    if ((text[bytes] & 0xc0) != 0x80 && ++seen == columns) break;
  }
  return text.substr(0, bytes) + "…";
}

std::string local_time(std::int64_t unix_ms) {
  if (unix_ms == 0) return "-";
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::string duration(std::int64_t ms) {
  const std::int64_t s = std::max<std::int64_t>(ms, 0) / 1000;
  char text[48];
  if (s < 60) {
    std::snprintf(text, sizeof text, "%" PRId64 "s", s);
  } else if (s < 3600) {
    std::snprintf(text, sizeof text, "%" PRId64 "m %02" PRId64 "s", s / 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%" PRId64 "h %02" PRId64 "m", s / 3600, s % 3600 / 60);
  }
  return text;
}

std::string number(double value) { return formatted("%.6g", value); }

std::string short_hparams(const std::string& hparams_json) {
  const Result<Value> hparams = parse_json(hparams_json);
  if (!hparams.ok() || !hparams->is_object()) return hparams_json;
  std::string text;
  for (const auto& [name, value] : hparams->as_object()) {
    const std::string shown = value.is_double()   ? formatted("%.4g", value.as_double())
                              : value.is_string() ? value.as_string()
                                                  : to_json(value);
    text += cat(text.empty() ? "" : " ", name, "=", shown);
  }
  return safe_text(text);
}

void print(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void print_error(const Status& status) {
  std::string lines;  // a message may have a line for each problem
  for (std::size_t at = 0; at < status.message().size();) {
    const std::size_t end = std::min(status.message().find('\n', at), status.message().size());
    lines += cat("dtctl: ", safe_text(status.message().substr(at, end - at)), "\n");
    at = end + 1;
  }
  if (!status.detail().hint.empty()) lines += cat("  try: ", safe_text(status.detail().hint), "\n");
  std::fputs(lines.c_str(), stderr);
}

Exit exit_of(const Status& status) {
  if (status.ok()) return Exit::ok;
  return status.code() == Code::unavailable || status.code() == Code::deadline_exceeded
             ? Exit::unreachable
             : Exit::failed;
}

void print_json(const Value& value) { print(to_json_pretty(value)); }

}  // namespace dt::cli
