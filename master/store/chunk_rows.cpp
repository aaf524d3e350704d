#include "master/store/chunk_rows.h"

#include "base/verify.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"

namespace dt::master {

namespace {

template <class Number>
Value list_of(const std::vector<Number>& numbers) {
  return Value(Value::Array(numbers.begin(), numbers.end()));
}

Value delta_list(const std::vector<std::int64_t>& numbers) {
  const auto deltas = deltas_of(numbers);
  VERIFY(deltas.has_value(), "a chunk was built with a difference beyond 64 bits");
  return list_of(*deltas);
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  unreadable("bytea", std::string_view(&c, 1));
}

}  // namespace

Value chunk_to_row(std::int64_t series, const Chunk& chunk) {
  const RollUp sums = roll_up(chunk);
  return Value::Object{{"series_id", series},
                       {"attempt", chunk.attempt},
                       {"points", static_cast<std::int64_t>(chunk.values.size())},
                       {"first_step", sums.first_step},
                       {"last_step", sums.last_step},
                       {"min_step", sums.min_step},
                       {"max_step", sums.max_step},
                       {"rising", sums.rising},
                       {"finite", sums.finite},
                       {"min_value", sums.min},
                       {"max_value", sums.max},
                       {"sum_value", sums.sum},
                       {"last_value", sums.last},
                       {"step_deltas", delta_list(chunk.steps)},
                       {"time_deltas", delta_list(chunk.times_ms)},
                       {"point_values", list_of(chunk.values)},
                       {"epochs", chunk.epochs.empty() ? Value() : list_of(chunk.epochs)}};
}

Chunk chunk_in(const pqxx::row& row, ChunkParts parts) {
  Chunk chunk{.attempt = int_in(row, "attempt")};
  chunk.steps = sums_of(numbers_of<std::int64_t>(row["step_deltas"].c_str()));
  chunk.values = numbers_of<double>(row["point_values"].c_str());
  chunk.times_ms = sums_of(numbers_of<std::int64_t>(row["time_deltas"].c_str()));
  const std::size_t points = chunk.values.size();
  if (chunk.steps.size() != points || chunk.times_ms.size() != points) {
    unreadable("chunk", "columns of unequal length");
  }
  if (parts == ChunkParts::whole && !row["epochs"].is_null()) {
    chunk.epochs = numbers_of<double>(row["epochs"].c_str());
  }
  return chunk;
}

std::string hex_of(std::string_view bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    text += digits[c >> 4 & 0xf];
    text += digits[c & 0xf];
  }
  return text;
}

std::string bytes_in(const pqxx::row& row, const char* column) {
  const std::string_view text = row[column].c_str();
  if (text.substr(0, 2) != "\\x" || text.size() % 2 != 0) unreadable("bytea", text);
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    bytes += static_cast<char>(digit_of(text[i]) << 4 | digit_of(text[i + 1]));
  }
  return bytes;
}

}  // namespace dt::master
