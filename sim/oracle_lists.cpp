// The oracle's cases about lists: pages by offset and limit, filters of runs, and the ring of the
// master's log.
#include <algorithm>

#include "base/ring.h"
#include "core/experiment/filter.h"
#include "core/model/page_range.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

Verdict run_pagination(const Value& test_case) {
  const auto number = [&](const char* key) { return static_cast<int>(int_or(test_case, key, 0)); };
  const Result<core::PageRange> range =
      core::page_range(number("total"), number("offset"), number("limit"));
  const bool is_error = test_case.find("error") != nullptr && !test_case["error"].is_null();
  if (is_error || !range.ok()) {
    return is_error == !range.ok() ? Verdict() : cat("got ", range.status().text());
  }
  const core::PageRange expected{.start = number("start"), .count = number("count")};
  if (*range == expected) return std::nullopt;
  return cat("expected ", expected.count, " from ", expected.start, ", got ", range->count,
             " from ", range->start);
}

Verdict run_ring(const Value& test_case) {
  Ring<std::int64_t> ring(static_cast<std::size_t>(test_case["capacity"].as_int()));
  for (std::int64_t i = 0; i < test_case["written"].as_int(); ++i) ring.push(i);
  const auto read = ring.read(test_case["start"].as_int(), test_case["limit"].as_int());
  const Value::Array& ids = test_case["ids"].as_array();  // first and last
  if (ids.empty() != read.empty()) return cat("got ", read.size(), " lines");
  if (ids.empty()) return std::nullopt;
  for (const auto& [number, item] : read) {
    if (number != item) return cat("line ", item, " has the number ", number);
  }
  const std::int64_t first = read.front().first, last = read.back().first;
  if (first == ids.front().as_int() && last == ids.back().as_int()) return std::nullopt;
  return cat("expected ", ids.front().as_int(), " to ", ids.back().as_int(), ", got ", first,
             " to ", last);
}

// What the case's condition finds among the runs of the section's fixture.
Verdict run_filter(const Value& test_case) {
  const Value json = Value::Object{{"kind", "field"},
                                   {"columnName", test_case["column"]},
                                   {"operator", test_case["operator"]},
                                   {"value", test_case["value"]}};
  const Value group = Value::Object{
      {"kind", "group"}, {"conjunction", "and"}, {"children", Value::Array{json}}};
  const auto filter = core::filter_of(Value::Object{{"filterGroup", group}});
  if (!filter.ok()) return filter.status().text();
  const Value::Array& runs = test_case["fixture"]["runs"].as_array();
  const std::int64_t found = std::count_if(
      runs.begin(), runs.end(), [&](const Value& run) { return core::matches(*filter, run); });
  const std::int64_t expected = test_case["runs"].as_int();
  if (found == expected) return std::nullopt;
  return cat("expected ", expected, " runs, got ", found);
}

}  // namespace

std::vector<OracleSection> list_sections() {
  return {
      {"pagination", run_pagination}, {"log_ring_buffer", run_ring}, {"run_filter", run_filter}};
}

}  // namespace dt::sim
