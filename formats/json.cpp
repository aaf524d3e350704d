#include "formats/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <nlohmann/json.hpp>

#include "formats/json_text.h"
#include "formats/utf8.h"

namespace dt {
namespace {

constexpr std::size_t max_depth = 64;

// Receives nlohmann's parse events and builds a Value. Returning false ends the parse; the reason
// is then in `error`.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return add(static_cast<double>(value));
    }
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return fail("binary value"); }
  bool start_object(std::size_t) override { return open(Value(Value::Object())); }
  bool start_array(std::size_t) override { return open(Value(Value::Array())); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back().container.find(name)) return fail(cat("duplicate key \"", name, "\""));
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& problem) override {
    std::string text = problem.what();  // "[json.exception.parse_error.101] parse error at …"
    const std::size_t prefix = text.find("] ");
    if (prefix != std::string::npos) text.erase(0, prefix + 2);
    position_ = position;
    return fail(with_valid_utf8(text));
  }

  Value root;
  std::string error;
  std::optional<std::size_t> position() const { return position_; }

 private:
  struct Open {
    Value container;
    std::string key;  // of the member being read
  };

  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }

  bool add(Value value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (Open& parent = open_.back(); parent.container.is_array()) {
      parent.container.as_array().push_back(std::move(value));
    } else {
      parent.container.set(parent.key, std::move(value));
    }
    return true;
  }

  bool open(Value container) {
    if (open_.size() == max_depth) return fail(cat("nested deeper than ", max_depth, " levels"));
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    Value done = std::move(open_.back().container);
    open_.pop_back();
    return add(std::move(done));
  }

  std::vector<Open> open_;
  std::optional<std::size_t> position_;
};

int line_at(std::string_view text, std::size_t position) {
  const auto before = text.substr(0, position);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += "0123456789abcdef"[c >> 4 & 0xf];
  out += "0123456789abcdef"[c & 0xf];
}

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void write(const Value& value) {
    if (value.is_null()) return append_piece(out, "null");
    if (value.is_bool()) return append_piece(out, value.as_bool());
    if (value.is_int()) return append_piece(out, value.as_int());
    if (value.is_double()) return write_double(value.as_double());
    if (value.is_string()) return append_json_text(out, value.as_string());
    if (value.is_array()) return write_array(value.as_array());
    write_object(value.as_object());
  }

  std::string out;

 private:
  void write_double(double value) {
    if (std::isnan(value)) return append_piece(out, "\"NaN\"");
    if (std::isinf(value)) return append_piece(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    const std::size_t start = out.size();
    append_piece(out, value);
    // A double that happens to be whole must read back as a double.
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
  }

  void write_array(const Value::Array& items) {
    if (items.empty()) return append_piece(out, "[]");
    out += '[';
    ++depth_;
    for (const Value& item : items) {
      separate(&item == &items.front());
      write(item);
    }
    finish(']');
  }

  void write_object(const Value::Object& members) {
    if (members.empty()) return append_piece(out, "{}");
    out += '{';
    ++depth_;
    bool first = true;
    for (const auto& [key, member] : members) {
      separate(first);
      first = false;
      append_json_text(out, key);
      out += pretty_ ? ": " : ":";
      write(member);
    }
    finish('}');
  }

  void separate(bool first) {
    if (!first) out += ',';
    new_line();
  }

  void finish(char bracket) {
    --depth_;
    new_line();
    out += bracket;
  }

  void new_line() {
    if (!pretty_) return;
    out += '\n';
    out.append(2 * depth_, ' ');
  }

  bool pretty_;
  std::size_t depth_ = 0;
};

}  // namespace

Result<Value> parse_json(std::string_view text) {
  // nlohmann takes a NUL byte for the end of its input and would ignore what follows.
  if (const auto nul = text.find('\0'); nul != text.npos) {
    return invalid_argument("JSON: NUL byte at offset ", nul);
  }
  Builder builder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.root;
  Detail detail;
  if (builder.position()) detail.line = line_at(text, *builder.position());
  return invalid_argument("JSON: ", builder.error).with_detail(std::move(detail));
}

void append_json_text(std::string& out, std::string_view text) {
  if (!is_valid_utf8(text)) return append_json_text(out, with_valid_utf8(text));
  out += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_escaped(out, text.front());
    text.remove_prefix(1);
  }
  out += '"';
}

std::string to_json(const Value& value) {
  Writer writer(false);
  writer.write(value);
  return std::move(writer.out);
}

std::string to_json_pretty(const Value& value) {
  Writer writer(true);
  writer.write(value);
  return std::move(writer.out);
}

}  // namespace dt
