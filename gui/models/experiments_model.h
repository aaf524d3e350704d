// The experiments table: one row an experiment, as the list of the API knows it.
#pragma once

#include <functional>

#include "gui/data/rows.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

class ExperimentsModel : public RowsModel<ExperimentRow> {
 public:
  using Clock = std::function<std::int64_t()>;  // Unix ms

  explicit ExperimentsModel(Clock clock, QObject* parent = nullptr);

 protected:
  std::int64_t key(const ExperimentRow& row) const override { return row.id; }
  QVariant cell(const ExperimentRow& row, int column, int role) const override;

 private:
  enum At {
    id,
    name,
    state,
    progress,
    best,
    metric,
    trials,
    searcher,
    owner,
    age,
    time,
    labels,
    archived
  };

  QString text(const ExperimentRow& row, int column) const;
  QVariant order(const ExperimentRow& row, int column) const;
  QString tip(const ExperimentRow& row, int column) const;
  std::int64_t run_ms(const ExperimentRow& row) const;

  Clock now_;
};

}  // namespace dt::gui
