#include "gui/models/jobs_model.h"

#include <utility>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

std::vector<Column> job_columns() {
  return {{"order", "Order", true, 6},          {"pool", "Pool", false, 12},
          {"position", "Position", true, 8},    {"id", "ID", true, 6},
          {"name", "Name", false, 15},          {"owner", "Owner", false, 10},
          {"state", "State", false, 9},         {"priority", "Priority", true, 8},
          {"held", "Holds", true, 7},           {"wanted", "Waits for", true, 9},
          {"reason", "Why it waits", false, 0}, {"age", "Submitted", true, 10}};
}

}  // namespace

JobsModel::JobsModel(Clock clock, QObject* parent) : RowsModel(parent), now_(std::move(clock)) {
  set_columns(job_columns());
}

QVariant JobsModel::cell(const JobRow& row, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case Qt::ToolTipRole:
      if (column == At::reason) return one_line(row.reason, 600);
      if (column == At::age) return exact_time(row.submitted_ms);
      return {};
    case sort_role: return sort_value(row, column);
    case link_role: return QVariant::fromValue(Link{Link::Kind::experiment, row.experiment, {}});
    case state_role: return column == At::state ? QVariant(state_word(row.state)) : QVariant();
    default: return {};
  }
}

QString JobsModel::text(const JobRow& row, int column) const {
  const auto slots_text = [](int count) {
    return count == 0 ? QStringLiteral("–") : plural(count, QStringLiteral("slot"));
  };
  switch (column) {
    case At::order: return integer(row.order);
    case At::pool: return one_line(row.pool);
    case At::position: return row.position == 0 ? QStringLiteral("–") : integer(row.position);
    case At::id: return QString::number(row.experiment);
    case At::name: return one_line(row.name);
    case At::owner: return one_line(row.owner);
    case At::state: return state_word(row.state);
    case At::priority: return integer(row.priority);
    case At::held: return slots_text(row.slots_held);
    case At::wanted: return slots_text(row.slots_wanted);
    case At::reason: return one_line(row.reason, 300);
    case At::age: return gui::age(row.submitted_ms, now_());
    default: return {};
  }
}

QVariant JobsModel::sort_value(const JobRow& row, int column) const {
  switch (column) {
    case At::order: return row.order;
    case At::position: return row.position == 0 ? QVariant() : QVariant(row.position);
    case At::id: return qlonglong{row.experiment};
    case At::priority: return row.priority;
    case At::held: return row.slots_held;
    case At::wanted: return row.slots_wanted;
    case At::age: return static_cast<double>(now_() - row.submitted_ms) / 1000;
    default: return text(row, column);
  }
}

}  // namespace dt::gui
