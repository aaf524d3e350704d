// Which charts a page of metrics has, and which series each of their curves is made of. Pure.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/data/series_list.h"
#include "gui/widgets/chart.h"

namespace dt::gui {

struct ChartPart {  // one curve
  std::int64_t key = 0;
  QString name;
  std::vector<std::int64_t> series;  // several: the mean and extremes of ranks
  std::int64_t trial = 0;
  std::optional<int> style;  // of the palette; nothing: the trial's own
  bool operator==(const ChartPart&) const = default;
};

struct MetricChart {
  QString key;
  QString title;
  std::vector<ChartPart> parts;
  bool operator==(const MetricChart&) const = default;
};

enum class RankView { band, each };

// One trial: a chart for each name, with its groups (training, validation, …) and their ranks.
std::vector<MetricChart> charts_of_trial(const std::vector<SeriesRow>& rows, RankView ranks);

struct ComparedName {
  std::int64_t trial = 0;
  QString name;  // as the legend calls it
  bool operator==(const ComparedName&) const = default;
};
// Several trials: a chart for each group and name, with a curve a trial, in the order given.
std::vector<MetricChart> charts_of_runs(const std::vector<SeriesRow>& rows,
                                        const std::vector<ComparedName>& runs);

}  // namespace dt::gui
