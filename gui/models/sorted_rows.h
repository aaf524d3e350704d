// A table's rows as the user wants them: filtered, sorted by several columns, and steady. While
// hold() is on, changed rows stay where they are and new ones go to the end, so nothing moves below
// the pointer; when it is off again they find their places. GUI thread only.
#pragma once

#include <QSortFilterProxyModel>
#include <vector>

#include "gui/data/filter.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

struct SortKey {
  int column = 0;
  Qt::SortOrder order = Qt::AscendingOrder;
  bool operator==(const SortKey&) const = default;
};

class SortedRows : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SortedRows(TableModel& rows, QObject* parent = nullptr);

  void set_filter(Filter filter);
  void set_sort(std::vector<SortKey> keys);
  const std::vector<SortKey>& sort_keys() const { return keys_; }
  void hold(bool on);
  const TableModel& table() const { return rows_; }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  void sort_now();
  int compare(int left, int right) const;
  std::vector<int> ranks() const;

  TableModel& rows_;
  Filter filter_;
  std::vector<SortKey> keys_;
  bool is_held_ = false;
  bool is_stale_ = false;   // rows changed while they were held
  std::vector<int> ranks_;  // by row, only while a whole sort runs
};

}  // namespace dt::gui
