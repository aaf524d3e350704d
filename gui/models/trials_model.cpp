#include "gui/models/trials_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <utility>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

// By lightness of the palette, so that a swatch is that of the charts.
bool is_dark() { return QGuiApplication::palette().color(QPalette::Base).lightness() < 128; }

// In characters: the title and room for the arrow of the order.
int width_of(const QString& title) {
  constexpr int least = 11, most = 34, around = 4;
  return std::clamp(static_cast<int>(title.size()) + around, least, most);
}

bool is_number(const Value* value) { return value != nullptr && value->is_number(); }

}  // namespace

TrialsModel::TrialsModel(RunColors& colors, Clock clock, QObject* parent)
    : RowsModel(parent), colors_(colors), now_(std::move(clock)) {
  set_experiment({}, true, {});
}

void TrialsModel::set_experiment(const QString& metric, bool smaller_is_better,
                                 const HparamNames& names) {
  metric_ = metric;
  smaller_is_better_ = smaller_is_better;
  const QString metric_title = metric.isEmpty() ? u"Metric"_s : one_line(metric, 40);
  std::vector<Column> columns;
  std::vector<Meaning> meanings;
  const auto add = [&](Meaning meaning, Column column) {
    meanings.push_back(std::move(meaning));
    columns.push_back(std::move(column));
  };
  const auto add_hparam = [&](const QString& name) {
    add({hparam, name}, {name, one_line(name, 40), true, width_of(name)});
  };
  add({trial, {}}, {u"trial"_s, u"Trial"_s, true, 10});
  add({state, {}}, {u"state"_s, u"State"_s, false, 17});
  for (const QString& name : names.searched) add_hparam(name);
  add({best, {}}, {metric.isEmpty() ? u"best"_s : metric, u"Best "_s + metric_title, true,
       width_of(u"Best "_s + metric_title)});
  add({latest, {}}, {u"latest"_s, u"Latest"_s, true, 10});
  add({curve, {}}, {u"curve"_s, u"Curve"_s, false, 14});
  add({step, {}}, {u"step"_s, u"Step"_s, true, 9});
  add({ranks, {}}, {u"ranks"_s, u"Ranks"_s, true, 7});
  add({time, {}}, {u"time"_s, u"Time"_s, true, 9});
  for (const QString& name : names.constant) add_hparam(name);
  meanings_ = std::move(meanings);
  set_columns(std::move(columns));
}

void TrialsModel::set_best(std::int64_t trial_id) {
  if (std::exchange(best_trial_, trial_id) != trial_id) repaint_first_column();
}

void TrialsModel::set_hidden(std::vector<std::int64_t> trial_ids) {
  std::sort(trial_ids.begin(), trial_ids.end());
  if (std::exchange(hidden_, trial_ids) != trial_ids) repaint_first_column();
}

void TrialsModel::repaint_first_column() {
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool TrialsModel::is_hidden(std::int64_t trial_id) const {
  return std::binary_search(hidden_.begin(), hidden_.end(), trial_id);
}

QVariant TrialsModel::cell(const TrialRow& row, int column, int role) const {
  if (column >= static_cast<int>(meanings_.size())) return {};  // while columns change
  const Meaning& meaning = meanings_[static_cast<std::size_t>(column)];
  switch (role) {
    case Qt::DisplayRole: return text(row, meaning);
    case Qt::ToolTipRole: return tip(row, meaning).toHtmlEscaped();
    case Qt::FontRole: {
      QFont bold;
      bold.setBold(true);
      return row.id == best_trial_ ? QVariant(bold) : QVariant();
    }
    case sort_role: return order(row, meaning);
    case link_role: return QVariant::fromValue(Link{Link::Kind::trial, row.id, {}});
    case state_role: return meaning.what == state ? QVariant(trial_word(row)) : QVariant();
    case swatch_role: return meaning.what == trial ? swatch(row) : QVariant();
    case shown_role: return !is_hidden(row.id);
    case spark_role:
      if (meaning.what != curve || !row.spark) return {};
      return QVariant::fromValue(QList<double>(row.spark->begin(), row.spark->end()));
    default: return {};
  }
}

QVariant TrialsModel::swatch(const TrialRow& row) const {
  if (is_hidden(row.id)) return {};
  return colors_.style({Link::Kind::trial, row.id, {}}, is_dark()).color;
}

QString TrialsModel::text(const TrialRow& row, const Meaning& column) const {
  switch (column.what) {
    case trial: return QString::number(row.id);
    case state: return trial_word(row);
    case best: return row.best ? number(*row.best) : u"–"_s;
    case latest: return row.latest ? number(*row.latest) : u"–"_s;
    case step: return row.step > 0 ? integer(row.step) : u"–"_s;
    case ranks: return integer(row.ranks);
    case time: return duration(run_ms(row));
    case curve: return {};
    case hparam: break;
  }
  const Value* value = row.hparam(column.name);
  return value == nullptr ? QString() : value_text(*value);
}

QVariant TrialsModel::order(const TrialRow& row, const Meaning& column) const {
  switch (column.what) {
    case trial: return qlonglong{row.id};
    case best: return row.best ? QVariant(*row.best) : QVariant();
    case curve:
    case latest: return row.latest ? QVariant(*row.latest) : QVariant();
    case step: return qlonglong{row.step};
    case ranks: return row.ranks;
    case time: return static_cast<double>(run_ms(row)) / 1000;
    case state: return trial_word(row);
    case hparam: break;
  }
  const Value* value = row.hparam(column.name);
  if (is_number(value)) return value->as_double();
  return value == nullptr ? QVariant() : QVariant(value_text(*value));
}

QString TrialsModel::tip(const TrialRow& row, const Meaning& column) const {
  switch (column.what) {
    case trial: return u"trial %1, number %2 of the search"_s.arg(row.id).arg(row.number);
    case state: {
      const QString words = row.message.isEmpty() ? row.waiting_reason : row.message;
      return words.isEmpty() ? trial_word(row) : one_line(words, 600);
    }
    case best:
      if (!row.best) return u"nothing reported yet"_s;
      return one_line(metric_) + u" = "_s + full_number(*row.best) +
             (smaller_is_better_ ? u", smaller is better"_s : u", larger is better"_s);
    case latest: return row.latest ? full_number(*row.latest) : QString();
    case time:
      return row.ended_ms == 0 ? u"since "_s + exact_time(row.created_ms)
                               : u"ended "_s + exact_time(row.ended_ms);
    case hparam: {
      const Value* value = row.hparam(column.name);
      return is_number(value) ? full_number(value->as_double()) : text(row, column);
    }
    default: return {};
  }
}

std::int64_t TrialsModel::run_ms(const TrialRow& row) const {
  return std::max<std::int64_t>(0, (row.ended_ms != 0 ? row.ended_ms : now_()) - row.created_ms);
}

}  // namespace dt::gui
