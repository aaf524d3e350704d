// The queue: one row a job, in the order in which the scheduler serves them.
#pragma once

#include <functional>

#include "gui/data/rows.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

class JobsModel : public RowsModel<JobRow> {
 public:
  using Clock = std::function<std::int64_t()>;  // Unix ms

  explicit JobsModel(Clock clock, QObject* parent = nullptr);

 protected:
  std::int64_t key(const JobRow& row) const override { return row.experiment; }
  QVariant cell(const JobRow& row, int column, int role) const override;

 private:
  enum At { order, pool, position, id, name, owner, state, priority, held, wanted, reason, age };

  QString text(const JobRow& row, int column) const;
  QVariant sort_value(const JobRow& row, int column) const;

  Clock now_;
};

}  // namespace dt::gui
