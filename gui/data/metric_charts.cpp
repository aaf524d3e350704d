#include "gui/data/metric_charts.h"

#include <algorithm>
#include <map>

namespace dt::gui {
namespace {

// Validation first: it is what people look at; then training, then what users named.
int order_of(const QString& group) {
  if (group == QLatin1String("validation")) return 0;
  return group == QLatin1String("training") ? 1 : 2;
}

struct GroupOrder {
  bool operator()(const QString& a, const QString& b) const {
    return std::pair(order_of(a), a) < std::pair(order_of(b), b);
  }
};

// What counts how far a trial is: a straight line, which nobody came to see.
bool is_clock(const QString& name) {
  return name == QLatin1String("batches") || name == QLatin1String("epochs") ||
         name == QLatin1String("records");
}

using Ranks = std::map<int, const SeriesRow*>;

void add_group(MetricChart& chart, const QString& group, const Ranks& ranks, RankView view,
               int& style) {
  if (view == RankView::band || ranks.size() == 1) {
    ChartPart part{.key = ranks.begin()->second->id,
                   .name = group,
                   .series = {},
                   .trial = ranks.begin()->second->trial,
                   .style = style++};
    for (const auto& [rank, row] : ranks) part.series.push_back(row->id);
    chart.parts.push_back(std::move(part));
    return;
  }
  for (const auto& [rank, row] : ranks) {
    const QString name = QStringLiteral("%1, rank %2").arg(group).arg(rank);
    chart.parts.push_back(
        {.key = row->id, .name = name, .series = {row->id}, .trial = row->trial, .style = style++});
  }
}

}  // namespace

std::vector<MetricChart> charts_of_trial(const std::vector<SeriesRow>& rows, RankView ranks) {
  std::map<QString, std::map<QString, Ranks, GroupOrder>> metrics;
  for (const SeriesRow& row : rows) metrics[row.name][row.group][row.rank] = &row;
  std::vector<MetricChart> charts;
  for (const auto& [name, groups] : metrics) {
    MetricChart chart{.key = name, .title = name, .parts = {}};
    int style = 0;
    for (const auto& [group, members] : groups) add_group(chart, group, members, ranks, style);
    charts.push_back(std::move(chart));
  }
  // Metrics that are validated stand before those that are not.
  std::stable_partition(charts.begin(), charts.end(), [&](const MetricChart& chart) {
    return metrics[chart.key].contains(QStringLiteral("validation"));
  });
  std::stable_partition(charts.begin(), charts.end(),
                        [](const MetricChart& chart) { return !is_clock(chart.key); });
  return charts;
}

std::vector<MetricChart> charts_of_runs(const std::vector<SeriesRow>& rows,
                                        const std::vector<ComparedName>& runs) {
  struct Metric {
    std::map<std::int64_t, Ranks> trials;
  };
  std::map<QString, std::map<QString, Metric>, GroupOrder> groups;
  for (const SeriesRow& row : rows) groups[row.group][row.name].trials[row.trial][row.rank] = &row;
  std::vector<MetricChart> charts;
  for (const auto& [group, names] : groups) {
    for (const auto& [name, metric] : names) {
      MetricChart chart{.key = group + QLatin1Char('/') + name,
                        .title = QStringLiteral("%1 (%2)").arg(name, group),
                        .parts = {}};
      for (const ComparedName& run : runs) {
        const auto found = metric.trials.find(run.trial);
        if (found == metric.trials.end()) continue;
        ChartPart part{
            .key = run.trial, .name = run.name, .series = {}, .trial = run.trial, .style = {}};
        for (const auto& [rank, row] : found->second) part.series.push_back(row->id);
        chart.parts.push_back(std::move(part));
      }
      if (!chart.parts.empty()) charts.push_back(std::move(chart));
    }
  }
  std::stable_partition(charts.begin(), charts.end(), [](const MetricChart& chart) {
    return !is_clock(chart.key.section(QLatin1Char('/'), 1));
  });
  return charts;
}

}  // namespace dt::gui
