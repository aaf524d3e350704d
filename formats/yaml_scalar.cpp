#include "formats/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace dt {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t from) {
  while (from < text.size() && is_digit(text[from])) ++from;
  return from;
}

std::string_view without_plus(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return text;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

// (\.[0-9]+ | [0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)?   after an optional sign
bool is_decimal_number(std::string_view text) {
  text = without_sign(text);
  std::size_t at = skip_digits(text, 0);
  std::size_t digits = at;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t end = skip_digits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

template <class Number, class... Base>
std::optional<Number> whole(std::string_view text, Base... base) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, base...);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

Result<Value> decimal_number(std::string_view text) {
  if (skip_digits(without_sign(text), 0) == without_sign(text).size()) {
    if (const auto integer = whole<std::int64_t>(without_plus(text))) return Value(*integer);
  }
  if (const auto number = whole<double>(without_plus(text))) return Value(*number);
  return invalid_argument("number ", text, " does not fit a double");
}

Result<Value> prefixed_integer(std::string_view text, int base) {
  const auto integer = whole<std::int64_t>(text.substr(2), base);
  if (integer) return Value(*integer);
  return invalid_argument("integer ", text, " does not fit 64 bits");
}

bool is_prefixed_integer(std::string_view text, std::string_view prefix, const char* digits) {
  return text.size() > 2 && text.substr(0, 2) == prefix &&
         text.find_first_not_of(digits, 2) == text.npos;
}

}  // namespace

Result<Value> plain_scalar(const std::string& text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return Value();
  if (one_of(text, {"true", "True", "TRUE"})) return Value(true);
  if (one_of(text, {"false", "False", "FALSE"})) return Value(false);
  if (is_decimal_number(text)) return decimal_number(text);
  if (is_prefixed_integer(text, "0o", "01234567")) return prefixed_integer(text, 8);
  if (is_prefixed_integer(text, "0x", "0123456789abcdefABCDEF")) return prefixed_integer(text, 16);
  if (one_of(without_sign(text), {".inf", ".Inf", ".INF"})) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Value(text.front() == '-' ? -infinity : infinity);
  }
  if (one_of(text, {".nan", ".NaN", ".NAN"})) {
    return Value(std::numeric_limits<double>::quiet_NaN());
  }
  return Value(text);
}

}  // namespace dt
