// What is wrong with a configuration, one row a problem: line, words, value and the way out.
#pragma once

#include "gui/data/launch_check.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

struct ProblemRow {
  std::int64_t number = 0;  // in the order of the answer
  ConfigProblem problem;
  bool operator==(const ProblemRow&) const = default;
};

class ProblemsModel : public RowsModel<ProblemRow> {
  Q_OBJECT

 public:
  explicit ProblemsModel(QObject* parent = nullptr);

  void set_problems(const std::vector<ConfigProblem>& problems);

 protected:
  std::int64_t key(const ProblemRow& row) const override { return row.number; }
  QVariant cell(const ProblemRow& row, int column, int role) const override;

 private:
  enum At { kind, line, message, value, hint };
  static QString text(const ConfigProblem& problem, int column);
};

}  // namespace dt::gui
