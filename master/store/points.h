// Points of a series as chunks and back: delta coding, which points count (DESIGN §7, Metrics), and
// buckets for plotting. The view metric_points says the same in SQL; a test compares the two. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/master/ingest.h"
#include "master/store/store.h"

namespace dt::master {

// Points of one series and one attempt, in the order of their writing; columns are of one length.
struct Chunk {
  int attempt = 1;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> times_ms;
  std::vector<double> values;
  std::vector<double> epochs;  // NaN where a point has none; empty when no point has one
  bool operator==(const Chunk&) const = default;
};

struct RollUp {
  std::int64_t first_step = 0, last_step = 0, min_step = 0, max_step = 0;
  bool rising = true;
  int finite = 0;
  double min = 0, max = 0, sum = 0;  // of the finite ones
  double last = 0;
};
RollUp roll_up(const Chunk& chunk);

void append(Chunk& chunk, std::int64_t step, std::int64_t time_ms, double value,
            std::optional<double> epoch);
void append(Chunk& chunk, const Chunk& more);

// The first element is the number itself. Nothing if a difference does not fit 64 bits.
std::optional<std::vector<std::int64_t>> deltas_of(const std::vector<std::int64_t>& numbers);
std::vector<std::int64_t> sums_of(const std::vector<std::int64_t>& deltas);
// Can this point follow in the chunk without such a difference?
bool can_follow(const Chunk& chunk, std::int64_t step, std::int64_t time_ms);

// Where an attempt started: it hides earlier attempts' points with a larger step; without a step
// it hides all of them.
using AttemptStarts = std::map<int, std::optional<std::int64_t>>;

struct SeriesPoint {
  std::int64_t step = 0;
  double value = 0;
  std::int64_t time_ms = 0;
  bool operator==(const SeriesPoint&) const = default;
};

// The points that count, by step. `chunks` are in order of attempt, then of writing.
std::vector<SeriesPoint> effective_points(const AttemptStarts& starts,
                                          const std::vector<Chunk>& chunks);

// At most `limit` buckets of equal width (a power of two of steps, with edges at its multiples, so
// that a growing series keeps its buckets until the width doubles); empty ones are left out. The
// first and the last point, and every extreme, are in the answer. limit 0: a bucket each point.
std::vector<Bucket> buckets_of(const std::vector<SeriesPoint>& points, int limit);

}  // namespace dt::master
