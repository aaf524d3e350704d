#include "gui/models/trial_models.h"

#include <array>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

constexpr int tip_length = 4'000;

QVariant text_cell(const QString& text, int role) {
  if (role == Qt::DisplayRole || role == sort_role) return one_line(text, 400);
  if (role == Qt::ToolTipRole && text.size() > 60) return plain(text.left(tip_length));
  return {};
}

}  // namespace

AttemptsModel::AttemptsModel(Clock now, QObject* parent) : RowsModel(parent), now_(std::move(now)) {
  set_columns({{"attempt", "Attempt", true, 8},
               {"state", "State", false, 12},
               {"ranks", "Ranks", true, 7},
               {"started", "Started", true, 10},
               {"time", "Time", true, 9},
               {"nodes", "Nodes (slots)", false, 24},
               {"resumed", "Resumed from", false, 20},
               {"outcome", "Outcome", false, 0},
               {"allocation", "Allocation", false, 24}});
}

std::int64_t AttemptsModel::run_ms(const AttemptRow& row) const {
  if (row.started_ms == 0) return 0;
  return std::max<std::int64_t>(0, (row.ended_ms > 0 ? row.ended_ms : now_()) - row.started_ms);
}

QVariant AttemptsModel::cell(const AttemptRow& row, int column, int role) const {
  if (role == Qt::DisplayRole) return text(row, column);
  if (role == state_role && column == 1) return state_word(row.state);
  if (role == Qt::ToolTipRole) return column == 3 ? exact_time(row.started_ms) : text(row, column);
  if (role != sort_role) return {};
  switch (column) {
    case 0: return row.attempt;
    case 2: return row.ranks;
    case 3: return qlonglong{row.started_ms};
    case 4: return qlonglong{run_ms(row)};
    default: return text(row, column);
  }
}

QString AttemptsModel::text(const AttemptRow& row, int column) const {
  switch (column) {
    case 0: return integer(row.attempt);
    case 1: return state_word(row.state);
    case 2: return integer(row.ranks);
    case 3: return age(row.started_ms, now_());
    case 4: return row.started_ms == 0 ? QStringLiteral("–") : duration(run_ms(row));
    case 5: return one_line(row.nodes);
    case 6: return row.resumed_from.isEmpty() ? QStringLiteral("–") : one_line(row.resumed_from);
    case 7: return one_line(row.outcome);
    default: return one_line(row.allocation);
  }
}

CheckpointsModel::CheckpointsModel(Clock now, QObject* parent)
    : RowsModel(parent), now_(std::move(now)) {
  set_columns({{"step", "Step", true, 10},
               {"state", "State", false, 12},
               {"bytes", "Size", true, 10},
               {"age", "Created", true, 10},
               {"id", "ID", false, 0}});
}

QVariant CheckpointsModel::cell(const Placed<CheckpointRow>& placed_row, int column,
                                int role) const {
  const CheckpointRow& row = placed_row.row;
  const bool is_sort = role == sort_role;
  if (role == link_role) return QVariant::fromValue(Link{Link::Kind::checkpoint, 0, row.id});
  if (role == state_role && column == 1) return state_word(row.state);
  if (role == Qt::ToolTipRole && column == 3) return exact_time(row.created_ms);
  if (role != Qt::DisplayRole && !is_sort) return {};
  switch (column) {
    case 0: return is_sort ? QVariant(qlonglong{row.step}) : QVariant(integer(row.step));
    case 1: return state_word(row.state);
    case 2: return is_sort ? QVariant(qlonglong{row.bytes}) : QVariant(bytes(row.bytes));
    case 3:
      return is_sort ? QVariant(qlonglong{row.created_ms}) : QVariant(age(row.created_ms, now_()));
    default: return one_line(row.id);
  }
}

VariablesModel::VariablesModel(QObject* parent) : RowsModel(parent) {
  set_columns({{"name", "Variable", false, 30},
               {"value", "Value", false, 0},
               {"reason", "Set by", false, 40}});
}

QVariant VariablesModel::cell(const Placed<VariableRow>& row, int column, int role) const {
  const std::array<const QString*, 3> texts{&row.row.name, &row.row.value, &row.row.reason};
  return text_cell(*texts[static_cast<std::size_t>(column)], role);
}

FactsModel::FactsModel(QObject* parent) : RowsModel(parent) {
  set_columns(
      {{"group", "From", false, 18}, {"name", "Fact", false, 18}, {"value", "Value", false, 0}});
}

QVariant FactsModel::cell(const Placed<FactRow>& row, int column, int role) const {
  const std::array<const QString*, 3> texts{&row.row.group, &row.row.name, &row.row.value};
  return text_cell(*texts[static_cast<std::size_t>(column)], role);
}

}  // namespace dt::gui
