// The tables of a comparison: what differs, key by key, and each metric's last, least and largest
// value by run. GUI thread only.
#pragma once

#include <QColor>

#include "gui/data/compared_runs.h"
#include "gui/data/series_list.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

struct NumberedDiff {
  DiffRow row;
  std::int64_t place = 0;
  bool operator==(const NumberedDiff&) const = default;
};

class DiffModel : public RowsModel<NumberedDiff> {
 public:
  explicit DiffModel(QObject* parent = nullptr);

  // `base` is the run that others are compared with; only differing rows unless `all`.
  void show(const std::vector<QString>& runs, const std::vector<KeyedTexts>& things,
            std::size_t base, bool all);
  int differing() const { return differing_; }

 protected:
  std::int64_t key(const NumberedDiff& row) const override { return row.place; }
  QVariant cell(const NumberedDiff& row, int column, int role) const override;

 private:
  std::size_t base_ = 0;
  int differing_ = 0;
};

struct SummaryRow {
  std::int64_t place = 0;
  QString metric;  // "validation loss"
  std::int64_t trial = 0;
  QString run;
  QColor color;
  double last = 0;
  double least = 0;
  double largest = 0;
  std::int64_t last_step = 0;
  std::int64_t points = 0;
  std::optional<double> best;          // where it is known what is better
  std::optional<double> against_base;  // last less the base's last
  bool operator==(const SummaryRow&) const = default;
};

// A row a metric and run, ranks taken together: the mean of the last values, the extremes of all.
std::vector<SummaryRow> summary_of(const std::vector<SeriesRow>& series,
                                   const std::vector<ComparedRun>& runs, std::size_t base);

class SummaryModel : public RowsModel<SummaryRow> {
 public:
  explicit SummaryModel(QObject* parent = nullptr);

 protected:
  std::int64_t key(const SummaryRow& row) const override { return row.place; }
  QVariant cell(const SummaryRow& row, int column, int role) const override;
};

}  // namespace dt::gui
