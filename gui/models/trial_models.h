// The small tables of a trial's page: attempts, checkpoints, environment, provenance. GUI thread
// only.
#pragma once

#include <functional>

#include "gui/data/trial_detail.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

using Clock = std::function<std::int64_t()>;  // Unix ms

class AttemptsModel : public RowsModel<AttemptRow> {
 public:
  explicit AttemptsModel(Clock now, QObject* parent = nullptr);

 protected:
  std::int64_t key(const AttemptRow& row) const override { return row.attempt; }
  QVariant cell(const AttemptRow& row, int column, int role) const override;

 private:
  QString text(const AttemptRow& row, int column) const;
  std::int64_t run_ms(const AttemptRow& row) const;

  Clock now_;
};

// Checkpoints, variables and facts have no number of their own: `place` is where they stand.
template <class Row>
struct Placed {
  Row row;
  std::int64_t place = 0;
  bool operator==(const Placed&) const = default;
};
template <class Row>
std::vector<Placed<Row>> placed(std::vector<Row> rows) {
  std::vector<Placed<Row>> result;
  result.reserve(rows.size());
  for (Row& row : rows) {
    const auto place = static_cast<std::int64_t>(result.size());
    result.push_back({std::move(row), place});
  }
  return result;
}

class CheckpointsModel : public RowsModel<Placed<CheckpointRow>> {
 public:
  explicit CheckpointsModel(Clock now, QObject* parent = nullptr);

 protected:
  std::int64_t key(const Placed<CheckpointRow>& row) const override { return row.place; }
  QVariant cell(const Placed<CheckpointRow>& row, int column, int role) const override;

 private:
  Clock now_;
};

class VariablesModel : public RowsModel<Placed<VariableRow>> {
 public:
  explicit VariablesModel(QObject* parent = nullptr);

 protected:
  std::int64_t key(const Placed<VariableRow>& row) const override { return row.place; }
  QVariant cell(const Placed<VariableRow>& row, int column, int role) const override;
};

class FactsModel : public RowsModel<Placed<FactRow>> {
 public:
  explicit FactsModel(QObject* parent = nullptr);

 protected:
  std::int64_t key(const Placed<FactRow>& row) const override { return row.place; }
  QVariant cell(const Placed<FactRow>& row, int column, int role) const override;
};

}  // namespace dt::gui
