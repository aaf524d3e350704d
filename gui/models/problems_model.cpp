#include "gui/models/problems_model.h"

#include "gui/data/format.h"

namespace dt::gui {

using namespace Qt::StringLiterals;

namespace {

QString problem_key(const ConfigProblem& problem) {
  return problem.path.isEmpty() ? QString() : one_line(problem.path) + u'\n';
}

}  // namespace

ProblemsModel::ProblemsModel(QObject* parent) : RowsModel(parent) {
  set_columns({{.name = u"kind"_s, .title = u"Kind"_s, .width = 8},
               {.name = u"line"_s, .title = u"Line"_s, .is_number = true, .width = 6},
               {.name = u"message"_s, .title = u"Problem"_s},
               {.name = u"value"_s, .title = u"Value"_s, .width = 8},
               {.name = u"hint"_s, .title = u"What to do"_s}});
}

void ProblemsModel::set_problems(const std::vector<ConfigProblem>& problems) {
  std::vector<ProblemRow> rows;
  for (const ConfigProblem& problem : problems) {
    rows.push_back({static_cast<std::int64_t>(rows.size()), problem});
  }
  update(std::move(rows));
}

QString ProblemsModel::text(const ConfigProblem& problem, int column) {
  switch (column) {
    case kind: return problem.is_warning ? u"warning"_s : u"error"_s;
    case line: return problem.line > 0 ? integer(problem.line) : QString();
    case message: return one_line(problem.message);
    case value: return one_line(problem.value);
    default: return one_line(problem.hint);
  }
}

QVariant ProblemsModel::cell(const ProblemRow& row, int column, int role) const {
  const QString words = text(row.problem, column);
  if (role == Qt::DisplayRole) return words;
  if (role == Qt::ToolTipRole && !words.isEmpty()) {
    return problem_key(row.problem) + words;
  }
  if (role == state_role && column == kind) return words;
  return {};
}

}  // namespace dt::gui
