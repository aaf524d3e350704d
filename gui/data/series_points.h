// The points of one series as the window holds them: the whole of it in buckets, and finer ones of
// the range that is zoomed into. What grew is fetched from the last bucket on and takes its place,
// so there is neither a gap nor a double point. Pure; steps rise.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/widgets/chart.h"

namespace dt::gui {

struct SeriesPoint {  // a raw point, or a bucket of many
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double last = 0;
  std::int64_t count = 1;
  std::int64_t non_finite = 0;
  std::int64_t first_time_ms = 0;
  std::int64_t last_time_ms = 0;
  bool operator==(const SeriesPoint&) const = default;
};
using SeriesPoints = std::vector<SeriesPoint>;

struct StepRange {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool operator==(const StepRange&) const = default;
};

class SeriesData {
 public:
  // Where a fetch of what is new must begin so that no bucket is half old: at `wanted`, or where
  // the bucket begins in which that lies. Without `wanted`: the last bucket, which may have grown.
  std::int64_t tail_start(std::optional<std::int64_t> wanted = {}) const;

  void replace(SeriesPoints points);
  // Everything from `from` on as it is now; `from` was moved by tail_start().
  void take_tail(std::int64_t from, const SeriesPoints& points);
  void set_detail(StepRange range, SeriesPoints points);
  void drop_detail() { detail_range_.reset(), detail_.clear(); }

  const SeriesPoints& overview() const { return overview_; }
  const std::optional<StepRange>& detail_range() const { return detail_range_; }
  // The detail where there is one, the overview around it.
  SeriesPoints composed() const;
  std::int64_t count() const { return count_; }  // of points in the overview

 private:
  SeriesPoints overview_;
  SeriesPoints detail_;
  std::optional<StepRange> detail_range_;
  std::int64_t count_ = 0;
};

// What an axis counts in.
enum class XMode { step, time, relative };

// For a chart; `start_ms` is what relative time counts from.
std::vector<CurvePoint> curve_points(const SeriesPoints& points, XMode mode, std::int64_t start_ms);

// Several ranks as one curve: the mean, and the extremes over all of them.
SeriesPoints band_of(const std::vector<const SeriesPoints*>& ranks);

// The steps that lie within a range of an axis; nothing when the mode is not step and none does.
std::optional<StepRange> steps_within(const SeriesPoints& points, XMode mode, std::int64_t start_ms,
                                      ChartRange range);

}  // namespace dt::gui
