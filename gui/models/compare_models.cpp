#include "gui/models/compare_models.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/data/format.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int tip_length = 4'000;

QString dash() { return QStringLiteral("–"); }

// Numbers are shown as numbers are elsewhere; their full text is in the tooltip.
QString shown(const std::optional<QString>& value) {
  if (!value) return dash();
  bool is_number = false;
  const double parsed = value->toDouble(&is_number);
  return is_number && value->size() > 6 ? number(parsed) : one_line(*value, 200);
}

struct Gathered {
  double last = 0;
  int ranks = 0;
  double least = std::nan("");
  double largest = std::nan("");
  std::int64_t last_step = 0;
  std::int64_t points = 0;

  void add(const SeriesRow& row) {
    last += row.last;
    ++ranks;
    least = std::fmin(least, row.min);  // fmin and fmax pass NaN over
    largest = std::fmax(largest, row.max);
    last_step = std::max(last_step, row.last_step);
    points += row.points;
  }
};

}  // namespace

DiffModel::DiffModel(QObject* parent) : RowsModel(parent) {
  set_columns({{"key", "Key", false, 36}});
}

void DiffModel::show(const std::vector<QString>& runs, const std::vector<KeyedTexts>& things,
                     std::size_t base, bool all) {
  std::vector<Column> columns{{"key", "Key", false, 36}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const QString name = i == base ? runs[i] + QStringLiteral(" (base)") : runs[i];
    columns.push_back({QStringLiteral("run%1").arg(i), name, false, 28});
  }
  base_ = base;
  set_columns(std::move(columns));
  std::vector<NumberedDiff> rows;
  differing_ = 0;
  std::int64_t place = 0;
  for (DiffRow& row : diff_of(things)) {
    differing_ += row.differs ? 1 : 0;
    if (all || row.differs) rows.push_back({std::move(row), place});
    ++place;
  }
  update(std::move(rows));
}

QVariant DiffModel::cell(const NumberedDiff& row, int column, int role) const {
  if (column == 0) {
    return role == Qt::DisplayRole || role == sort_role ? QVariant(one_line(row.row.key))
                                                        : QVariant();
  }
  const auto& values = row.row.values;
  const std::size_t run = static_cast<std::size_t>(column) - 1;
  if (run >= values.size()) return {};
  switch (role) {
    case Qt::DisplayRole: return shown(values[run]);
    case Qt::ToolTipRole:
      return values[run] ? plain(values[run]->left(tip_length))
                         : QStringLiteral("it has no such key");
    case sort_role: return values[run] ? QVariant(*values[run]) : QVariant();
    case Qt::ForegroundRole:
      if (!values[run]) return theme().faint;
      if (run != base_ && values[run] != values[base_]) return theme().warning;
      return {};
    default: return {};
  }
}

std::vector<SummaryRow> summary_of(const std::vector<SeriesRow>& series,
                                   const std::vector<ComparedRun>& runs, std::size_t base) {
  std::map<std::pair<QString, QString>, std::map<std::int64_t, Gathered>> metrics;
  for (const SeriesRow& row : series) metrics[{row.group, row.name}][row.trial].add(row);
  std::vector<SummaryRow> rows;
  for (const auto& [metric, trials] : metrics) {
    const auto base_run = runs.empty() ? trials.end() : trials.find(runs[base].trial);
    for (const ComparedRun& run : runs) {
      const auto found = trials.find(run.trial);
      if (found == trials.end()) continue;
      const Gathered& sum = found->second;
      SummaryRow row;
      row.place = static_cast<std::int64_t>(rows.size());
      row.metric = QStringLiteral("%1 %2").arg(metric.first, metric.second);
      row.trial = run.trial;
      row.run = name_of(run);
      row.last = sum.last / sum.ranks;
      row.least = sum.least;
      row.largest = sum.largest;
      row.last_step = sum.last_step;
      row.points = sum.points;
      if (metric.first == QLatin1String("validation") && metric.second == run.metric) {
        row.best = run.smaller_is_better ? sum.least : sum.largest;
      }
      if (base_run != trials.end() && found != base_run) {
        row.against_base = row.last - base_run->second.last / base_run->second.ranks;
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

SummaryModel::SummaryModel(QObject* parent) : RowsModel(parent) {
  set_columns({{"metric", "Metric", false, 0},
               {"run", "Run", false, 32},
               {"best", "Best", true, 11},
               {"last", "Last", true, 11},
               {"against", "Last less base", true, 14},
               {"min", "Min", true, 11},
               {"max", "Max", true, 11},
               {"step", "Last step", true, 11},
               {"points", "Points", true, 10}});
}

QVariant SummaryModel::cell(const SummaryRow& row, int column, int role) const {
  if (role == link_role) return QVariant::fromValue(Link{Link::Kind::trial, row.trial, {}});
  if (role == swatch_role && column == 1 && row.color.isValid()) return row.color;
  if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) return {};
  const auto real = [role](std::optional<double> value) -> QVariant {
    if (!value) return role == Qt::DisplayRole ? QVariant(dash()) : QVariant();
    if (role == sort_role) return *value;
    return role == Qt::ToolTipRole ? full_number(*value) : number(*value);
  };
  const auto whole = [role](std::int64_t value) -> QVariant {
    return role == sort_role ? QVariant(qlonglong{value}) : QVariant(integer(value));
  };
  switch (column) {
    case 0: return one_line(row.metric);
    case 1: return row.run;
    case 2: return real(row.best);
    case 3: return real(row.last);
    case 4: return real(row.against_base);
    case 5: return real(row.least);
    case 6: return real(row.largest);
    case 7: return whole(row.last_step);
    default: return whole(row.points);
  }
}

}  // namespace dt::gui
