// Log lines by position. Chunks of different streams lie across each other, so first the outlines
// of the chunks tell which ones can hold lines of the answer, then only those are read.
#include <algorithm>
#include <queue>
#include <utility>

#include "formats/json.h"
#include "master/store/chunk_rows.h"
#include "master/store/log_chunk.h"
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement outlines_of_chunks{
    "outlines_of_chunks",
    "SELECT id, first_position, last_position, line_count FROM log_chunks "
    "WHERE trial_id = $1::bigint AND last_position > $2::bigint "
    "AND ($3::integer = 0 OR attempt = $3::integer) AND (json_array_length($4::json) = 0 "
    "OR stream IN (SELECT value::integer FROM json_array_elements_text($4::json)))"};
constexpr Statement lines_of_chunks{
    "lines_of_chunks",
    "SELECT attempt, stream, lines FROM log_chunks WHERE id IN "
    "(SELECT value::bigint FROM json_array_elements_text($1::json))"};

struct Outline {
  std::int64_t id = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t lines = 0;
  bool whole = true;  // all its lines can be in the answer
};

std::vector<Outline> outlines_of(const pqxx::result& rows, std::int64_t after) {
  std::vector<Outline> chunks;
  for (const auto& row : rows) {
    chunks.push_back({.id = integer_in(row, "id"),
                      .first = integer_in(row, "first_position"),
                      .last = integer_in(row, "last_position"),
                      .lines = integer_in(row, "line_count"),
                      .whole = integer_in(row, "first_position") > after});
  }
  return chunks;
}

// The chunks that can hold one of the first `count` lines.
std::vector<Outline> first_chunks(std::vector<Outline> chunks, std::int64_t count) {
  const auto by_first = [](const Outline& a, const Outline& b) { return a.first < b.first; };
  const auto ends_later = [](const Outline& a, const Outline& b) { return a.last > b.last; };
  std::sort(chunks.begin(), chunks.end(), by_first);
  std::priority_queue<Outline, std::vector<Outline>, decltype(ends_later)> open(ends_later);
  std::int64_t before = 0;  // lines that surely come before the next chunk's first
  std::size_t taken = 0;
  for (; taken < chunks.size(); taken++) {
    const Outline& chunk = chunks[taken];
    for (; !open.empty() && open.top().last < chunk.first; open.pop()) before += open.top().lines;
    if (before >= count) break;
    if (chunk.whole) open.push(chunk);
  }
  chunks.resize(taken);
  return chunks;
}

// The same from the other end.
std::vector<Outline> last_chunks(std::vector<Outline> chunks, std::int64_t count) {
  const auto mirror = [](Outline& chunk) {
    chunk.first = -std::exchange(chunk.last, -chunk.first);
  };
  std::for_each(chunks.begin(), chunks.end(), mirror);
  return first_chunks(std::move(chunks), count);
}

Result<std::vector<StoredLogLine>> read_lines(Transaction& tx, const std::vector<Outline>& chunks) {
  Value::Array ids;
  for (const Outline& chunk : chunks) ids.push_back(chunk.id);
  std::vector<StoredLogLine> all;
  for (const auto& row : tx.run(lines_of_chunks, to_json(Value(std::move(ids))))) {
    std::vector<StoredLogLine> lines =
        TRY(unpack_lines(bytes_in(row, "lines"), int_in(row, "attempt"), int_in(row, "stream")));
    std::move(lines.begin(), lines.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(),
            [](const StoredLogLine& a, const StoredLogLine& b) { return a.position < b.position; });
  return all;
}

}  // namespace

Result<std::vector<StoredLogLine>> PostgresStore::logs(const LogQuery& query) {
  const std::string streams = to_json(integers_to_value(query.ranks));
  const bool tail = query.tail > 0;
  const std::int64_t count = tail ? query.tail : query.limit;
  if (count <= 0) return std::vector<StoredLogLine>();
  return pool_->transact([&](Transaction& tx) -> Result<std::vector<StoredLogLine>> {
    std::vector<Outline> chunks = outlines_of(
        tx.run(outlines_of_chunks, query.trial.value, query.after, query.attempt, streams),
        query.after);
    chunks = tail ? last_chunks(std::move(chunks), count) : first_chunks(std::move(chunks), count);
    std::vector<StoredLogLine> lines = TRY(read_lines(tx, chunks));
    std::erase_if(lines, [&](const StoredLogLine& line) { return line.position <= query.after; });
    const auto surplus = static_cast<std::int64_t>(lines.size()) - count;
    if (surplus > 0 && tail) lines.erase(lines.begin(), lines.begin() + surplus);
    if (surplus > 0 && !tail) lines.resize(static_cast<std::size_t>(count));
    return lines;
  });
}

}  // namespace dt::master
