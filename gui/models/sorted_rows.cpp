#include "gui/models/sorted_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dt::gui {
namespace {

// A cell's order, read once: comparing QVariants costs ten times as much.
struct Cell {
  bool is_missing = true;
  bool is_number = false;
  double number = 0;
  QString text;
};

Cell cell_of(const QVariant& order) {
  if (!order.isValid()) return {};
  if (order.userType() == QMetaType::QString) return {false, false, 0, order.toString()};
  bool is_number = false;
  const double number = order.toDouble(&is_number);
  if (!is_number) return {false, false, 0, order.toString()};
  if (number != number) return {};  // NaN is worse than any value
  return {false, true, number, {}};
}

// What is missing comes last, whichever the order.
int compare_cells(const Cell& left, const Cell& right, Qt::SortOrder order) {
  if (left.is_missing || right.is_missing) return int(left.is_missing) - int(right.is_missing);
  int result = 0;
  if (left.is_number && right.is_number) {
    result = (left.number > right.number) - (left.number < right.number);
  } else if (left.is_number != right.is_number) {
    result = left.is_number ? -1 : 1;
  } else {
    result = QString::compare(left.text, right.text, Qt::CaseInsensitive);
  }
  return order == Qt::AscendingOrder ? result : -result;
}

}  // namespace

SortedRows::SortedRows(TableModel& rows, QObject* parent)
    : QSortFilterProxyModel(parent), rows_(rows) {
  setSourceModel(&rows);
  setDynamicSortFilter(true);
  connect(&rows, &QAbstractItemModel::dataChanged, this, [this] { is_stale_ = true; });
  connect(&rows, &QAbstractItemModel::rowsInserted, this, [this] { is_stale_ = true; });
}

void SortedRows::set_filter(Filter filter) {
  filter_ = std::move(filter);
  invalidateFilter();
}

void SortedRows::set_sort(std::vector<SortKey> keys) {
  keys_ = std::move(keys);
  sort_now();
}

void SortedRows::hold(bool on) {
  if (is_held_ == on) return;
  is_held_ = on;
  if (on) {
    is_stale_ = false;
    return setDynamicSortFilter(false);
  }
  if (is_stale_ && !keys_.empty()) ranks_ = ranks();
  setDynamicSortFilter(true);  // sorts
  if (is_stale_) invalidateFilter();
  ranks_.clear();
}

void SortedRows::sort_now() {
  if (keys_.empty()) return QSortFilterProxyModel::sort(-1);
  ranks_ = ranks();
  QSortFilterProxyModel::sort(-1);  // the same column again would be taken for sorted
  QSortFilterProxyModel::sort(keys_.front().column, Qt::AscendingOrder);
  ranks_.clear();
}

std::vector<int> SortedRows::ranks() const {
  const auto count = static_cast<std::size_t>(rows_.rowCount());
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {  // stable: the last key first
    std::vector<Cell> cells(count);
    for (std::size_t row = 0; row < count; ++row) {
      cells[row] = cell_of(rows_.index(static_cast<int>(row), key->column).data(sort_role));
    }
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
      return compare_cells(cells[static_cast<std::size_t>(left)],
                           cells[static_cast<std::size_t>(right)], key->order) < 0;
    });
  }
  std::vector<int> ranks(count);
  for (std::size_t at = 0; at < count; ++at) {
    ranks[static_cast<std::size_t>(order[at])] = static_cast<int>(at);
  }
  return ranks;
}

int SortedRows::compare(int left, int right) const {
  for (const SortKey& key : keys_) {
    const int result =
        compare_cells(cell_of(rows_.index(left, key.column).data(sort_role)),
                      cell_of(rows_.index(right, key.column).data(sort_role)), key.order);
    if (result != 0) return result;
  }
  return left - right;
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (ranks_.empty()) return compare(left.row(), right.row()) < 0;
  return ranks_[static_cast<std::size_t>(left.row())] <
         ranks_[static_cast<std::size_t>(right.row())];
}

bool SortedRows::filterAcceptsRow(int row, const QModelIndex&) const {
  if (filter_.is_empty()) return true;
  const auto cell = [this, row](int column, int role) {
    return rows_.index(row, column).data(role);
  };
  return filter_.matches(
      {.text = [&](int column) { return cell(column, Qt::DisplayRole).toString(); },
       .order = [&](int column) { return cell(column, sort_role); }});
}

}  // namespace dt::gui
