#include "gui/models/experiments_model.h"

#include <limits>
#include <utility>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

std::vector<Column> experiment_columns() {
  return {{"id", "ID", true, 5},
          {"name", "Name", false, 0},
          {"state", "State", false, 15},
          {"progress", "Progress", true, 13},
          {"best", "Best", true, 8},
          {"metric", "Metric", false, 18},
          {"trials", "Trials", true, 7},
          {"searcher", "Searcher", false, 15},
          {"owner", "Owner", false, 8},
          {"age", "Created", true, 9},
          {"time", "Time", true, 9},
          {"labels", "Labels", false, 15},
          {"archived", "Archived", false, 9}};
}

}  // namespace

ExperimentsModel::ExperimentsModel(Clock clock, QObject* parent)
    : RowsModel(parent), now_(std::move(clock)) {
  set_columns(experiment_columns());
}

QVariant ExperimentsModel::cell(const ExperimentRow& row, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case Qt::ToolTipRole: return tip(row, column);
    case sort_role: return order(row, column);
    case link_role: return QVariant::fromValue(Link{Link::Kind::experiment, row.id, {}});
    case fraction_role: return column == At::progress ? QVariant(row.progress) : QVariant();
    case state_role: return column == At::state ? QVariant(state_word(row.state)) : QVariant();
    default: return {};
  }
}

QString ExperimentsModel::text(const ExperimentRow& row, int column) const {
  switch (column) {
    case At::id: return QString::number(row.id);
    case At::name: return one_line(row.name);
    case At::state: return state_word(row.state);
    case At::progress: return percent(row.progress);
    case At::best: return row.best ? number(*row.best) : QStringLiteral("–");
    case At::metric: return one_line(row.metric);
    case At::trials: return integer(row.trials);
    case At::searcher: return one_line(row.searcher);
    case At::owner: return one_line(row.owner);
    case At::age: return gui::age(row.created_ms, now_());
    case At::time: return duration(run_ms(row));
    case At::labels: return one_line(row.labels.join(QStringLiteral(", ")));
    case At::archived: return row.is_archived ? QStringLiteral("yes") : QStringLiteral("no");
    default: return {};
  }
}

QVariant ExperimentsModel::order(const ExperimentRow& row, int column) const {
  switch (column) {
    case At::id: return qlonglong{row.id};
    case At::progress: return row.progress;
    case At::best: return row.best ? QVariant(*row.best) : QVariant();
    case At::trials: return row.trials;
    case At::age: return static_cast<double>(now_() - row.created_ms) / 1000;
    case At::time: return static_cast<double>(run_ms(row)) / 1000;
    default: return text(row, column);
  }
}

QString ExperimentsModel::tip(const ExperimentRow& row, int column) const {
  switch (column) {
    case At::name: return one_line(row.description.isEmpty() ? row.name : row.description, 600);
    case At::state: return one_line(row.message, 600);
    case At::best:
      if (!row.best)
        return QStringLiteral("no trial has reported %1 yet").arg(one_line(row.metric));
      return QStringLiteral("%1 = %2, trial %3, %4 is better")
          .arg(one_line(row.metric), full_number(*row.best))
          .arg(row.best_trial)
          .arg(row.smaller_is_better ? QStringLiteral("smaller") : QStringLiteral("larger"));
    case At::trials:
      return QStringLiteral("%1 running, %2 completed, %3 failed")
          .arg(integer(row.trials_running), integer(row.trials_completed),
               integer(row.trials_errored));
    case At::age: return exact_time(row.created_ms);
    case At::time:
      return row.ended_ms == 0 ? QStringLiteral("not ended yet")
                               : QStringLiteral("ended %1").arg(exact_time(row.ended_ms));
    default: return {};
  }
}

std::int64_t ExperimentsModel::run_ms(const ExperimentRow& row) const {
  return (row.ended_ms != 0 ? row.ended_ms : now_()) - row.created_ms;
}

}  // namespace dt::gui
