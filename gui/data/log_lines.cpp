#include "gui/data/log_lines.h"

#include <algorithm>
#include <array>

namespace dt::gui {
namespace {

constexpr std::size_t block_lines = 4096;
constexpr std::size_t level_within = 160;  // characters: a level stands at the beginning of a line
constexpr char escape = '\x1b';

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word_char(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

template <std::size_t n>
bool holds_any(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return holds_word(text, w); });
}

// Where the escape sequence that begins at `at` ends; the end of the text if it is unfinished.
std::size_t after_escape(std::string_view text, std::size_t at) {
  std::size_t next = at + 1;
  if (next == text.size()) return next;
  const char kind = text[next++];
  if (kind == '[') {  // CSI: parameters, then a letter
    while (next < text.size() && text[next] >= 0x20 && text[next] < 0x40) ++next;
    return std::min(next + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == '_' ||
      kind == '^') {  // a string, to BEL or ESC backslash
    for (; next < text.size(); ++next) {
      if (text[next] == '\a') return next + 1;
      if (text[next] == escape) return std::min(next + 2, text.size());
    }
    return next;
  }
  if (kind >= 0x20 && kind < 0x30) return std::min(next + 1, text.size());  // ESC ( B
  return next;
}

}  // namespace

void LogLines::append(const LogEntry& entry) {
  if (blocks_.empty() || blocks_.back().heads.size() == block_lines) blocks_.emplace_back();
  Block& block = blocks_.back();
  block.heads.push_back({entry.time_ms, block.text.size(),
                         static_cast<std::uint32_t>(entry.text.size()), entry.rank, entry.attempt,
                         entry.is_error});
  block.text += entry.text;
  bytes_ += entry.text.size();
  ++end_;
  while (blocks_.size() > 1 && (bytes_ > limits_.bytes || size() > limits_.lines)) {
    bytes_ -= blocks_.front().text.size();
    first_ += static_cast<std::int64_t>(blocks_.front().heads.size());
    blocks_.pop_front();
  }
}

void LogLines::clear() {
  blocks_.clear();
  first_ = end_ = 0;
  bytes_ = 0;
}

LogEntry LogLines::line(std::int64_t number) const {
  const auto place = static_cast<std::size_t>(number - first_);
  const Block& block = blocks_[place / block_lines];
  const Head& head = block.heads[place % block_lines];
  return {head.time_ms, head.attempt, head.rank, head.is_error,
          std::string_view(block.text).substr(head.offset, head.size)};
}

std::int64_t LogLines::find_time(std::int64_t time_ms) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto& heads = blocks_[b].heads;
    const auto found = std::find_if(heads.begin(), heads.end(),
                                    [&](const Head& head) { return head.time_ms >= time_ms; });
    if (found != heads.end()) {
      return first_ + static_cast<std::int64_t>(b * block_lines) + (found - heads.begin());
    }
  }
  return end_;
}

std::string cleaned_log_text(std::string_view raw) {
  while (!raw.empty() && (raw.back() == '\r' || raw.back() == '\n')) raw.remove_suffix(1);
  if (raw.find_first_of("\x1b\r\b") == std::string_view::npos) return std::string(raw);
  std::string text;
  std::size_t at = 0;
  while (at < raw.size()) {
    const char c = raw[at];
    if (c == escape) {
      at = after_escape(raw, at);
      continue;
    }
    if (c == '\r') text.clear();
    if (c == '\b' && !text.empty()) text.pop_back();
    if (c != '\r' && c != '\b') text += c;
    ++at;
  }
  return text;
}

LogLevel level_of(std::string_view text) {
  static constexpr std::array<std::string_view, 9> errors{
      "ERROR", "Error", "error", "FATAL", "CRITICAL", "Traceback", "Exception", "panic", "SIGSEGV"};
  static constexpr std::array<std::string_view, 4> warnings{"WARNING", "WARN", "Warning",
                                                            "warning"};
  static constexpr std::array<std::string_view, 3> debugs{"DEBUG", "TRACE", "debug"};
  text = text.substr(0, level_within);
  if (holds_any(text, errors) || text.find("Error:") != std::string_view::npos)
    return LogLevel::error;
  if (holds_any(text, warnings) || text.find("Warning:") != std::string_view::npos) {
    return LogLevel::warning;
  }
  return holds_any(text, debugs) ? LogLevel::debug : LogLevel::info;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool holds_text(std::string_view text, std::string_view lowered_words) {
  if (lowered_words.empty()) return true;
  return std::search(text.begin(), text.end(), lowered_words.begin(), lowered_words.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace dt::gui
