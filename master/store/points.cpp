#include "master/store/points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/verify.h"

namespace dt::master {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool fits(std::int64_t from, std::int64_t to) {
  std::int64_t difference = 0;
  return !__builtin_sub_overflow(to, from, &difference);
}

// Steps above this are hidden in an attempt; nothing: all of them are.
using Limits = std::map<int, std::optional<std::int64_t>>;

Limits visible_limits(const AttemptStarts& starts) {
  Limits limits;
  std::optional<std::int64_t> limit = std::numeric_limits<std::int64_t>::max();
  for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
    limits[start->first] = limit;
    if (!start->second) limit.reset();
    if (limit) limit = std::min(*limit, *start->second);
  }
  return limits;
}

void add(Bucket& bucket, const SeriesPoint& point) {
  if (bucket.count++ == 0) {
    bucket.first_step = point.step;
    bucket.first_time_ms = point.time_ms;
    bucket.first = point.value;
    bucket.min = bucket.max = bucket.mean = no_number;
  }
  bucket.last_step = point.step;
  bucket.last_time_ms = point.time_ms;
  bucket.last = point.value;
  if (!std::isfinite(point.value)) {
    bucket.non_finite++;
    return;
  }
  const auto finite = static_cast<double>(bucket.count - bucket.non_finite);
  if (finite == 1) {
    bucket.min = bucket.max = bucket.mean = point.value;
    return;
  }
  bucket.min = std::min(bucket.min, point.value);
  bucket.max = std::max(bucket.max, point.value);
  // Stays finite where a sum would not: ±1e308 have the mean 0.
  bucket.mean += point.value / finite - bucket.mean / finite;
}

// The shift that gives at most `limit` buckets from first to last; 63 if none does.
int shift_for(std::int64_t first, std::int64_t last, int limit) {
  for (int shift = 0; shift < 63; shift++) {
    const auto width =
        static_cast<std::uint64_t>(last >> shift) - static_cast<std::uint64_t>(first >> shift);
    if (width < static_cast<std::uint64_t>(limit)) return shift;
  }
  return 63;
}

}  // namespace

RollUp roll_up(const Chunk& chunk) {
  VERIFY(!chunk.values.empty(), "a chunk without points");
  RollUp out;
  out.first_step = out.min_step = out.max_step = chunk.steps.front();
  out.last_step = chunk.steps.back();
  out.last = chunk.values.back();
  for (std::size_t i = 0; i < chunk.values.size(); i++) {
    const std::int64_t step = chunk.steps[i];
    if (i > 0 && step <= chunk.steps[i - 1]) out.rising = false;
    out.min_step = std::min(out.min_step, step);
    out.max_step = std::max(out.max_step, step);
    const double value = chunk.values[i];
    if (!std::isfinite(value)) continue;
    out.min = out.finite == 0 ? value : std::min(out.min, value);
    out.max = out.finite == 0 ? value : std::max(out.max, value);
    out.sum += value;
    out.finite++;
  }
  return out;
}

void append(Chunk& chunk, std::int64_t step, std::int64_t time_ms, double value,
            std::optional<double> epoch) {
  if (epoch || !chunk.epochs.empty()) {
    chunk.epochs.resize(chunk.values.size(), no_number);
    chunk.epochs.push_back(epoch.value_or(no_number));
  }
  chunk.steps.push_back(step);
  chunk.times_ms.push_back(time_ms);
  chunk.values.push_back(value);
}

void append(Chunk& chunk, const Chunk& more) {
  for (std::size_t i = 0; i < more.values.size(); i++) {
    const std::optional<double> epoch =
        more.epochs.empty() ? std::nullopt : std::optional(more.epochs[i]);
    append(chunk, more.steps[i], more.times_ms[i], more.values[i], epoch);
  }
}

std::optional<std::vector<std::int64_t>> deltas_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> deltas;
  deltas.reserve(numbers.size());
  std::int64_t before = 0;
  for (const std::int64_t number : numbers) {
    if (!fits(before, number)) return std::nullopt;
    deltas.push_back(number - before);
    before = number;
  }
  return deltas;
}

std::vector<std::int64_t> sums_of(const std::vector<std::int64_t>& deltas) {
  std::vector<std::int64_t> sums;
  sums.reserve(deltas.size());
  std::uint64_t sum = 0;  // unsigned: whatever a damaged array holds, adding is defined
  for (const std::int64_t delta : deltas) {
    sum += static_cast<std::uint64_t>(delta);
    sums.push_back(static_cast<std::int64_t>(sum));
  }
  return sums;
}

bool can_follow(const Chunk& chunk, std::int64_t step, std::int64_t time_ms) {
  if (chunk.steps.empty()) return true;
  return fits(chunk.steps.back(), step) && fits(chunk.times_ms.back(), time_ms);
}

std::vector<SeriesPoint> effective_points(const AttemptStarts& starts,
                                          const std::vector<Chunk>& chunks) {
  const Limits limits = visible_limits(starts);
  std::vector<SeriesPoint> points;
  bool rising = true;
  for (const Chunk& chunk : chunks) {
    const auto limit = limits.find(chunk.attempt);
    if (limit == limits.end() || !limit->second) continue;
    for (std::size_t i = 0; i < chunk.steps.size(); i++) {
      if (chunk.steps[i] > *limit->second) continue;
      if (!points.empty() && chunk.steps[i] <= points.back().step) rising = false;
      points.push_back({chunk.steps[i], chunk.values[i], chunk.times_ms[i]});
    }
  }
  if (rising) return points;
  const auto by_step = [](const SeriesPoint& a, const SeriesPoint& b) { return a.step < b.step; };
  std::stable_sort(points.begin(), points.end(), by_step);
  std::size_t kept = 0;  // of one step the last one stays
  for (std::size_t i = 0; i < points.size(); i++) {
    if (i + 1 < points.size() && points[i + 1].step == points[i].step) continue;
    points[kept++] = points[i];
  }
  points.resize(kept);
  return points;
}

std::vector<Bucket> buckets_of(const std::vector<SeriesPoint>& points, int limit) {
  std::vector<Bucket> buckets;
  if (points.empty()) return buckets;
  if (limit == 1) {  // edges at multiples of a width always leave two around zero
    buckets.emplace_back();
    for (const SeriesPoint& point : points) add(buckets.back(), point);
    return buckets;
  }
  const bool each = limit <= 0 || points.size() <= static_cast<std::size_t>(limit);
  const int shift = each ? 0 : shift_for(points.front().step, points.back().step, limit);
  std::int64_t place = 0;
  for (const SeriesPoint& point : points) {
    if (buckets.empty() || (point.step >> shift) != place) buckets.emplace_back();
    place = point.step >> shift;
    add(buckets.back(), point);
  }
  return buckets;
}

}  // namespace dt::master
