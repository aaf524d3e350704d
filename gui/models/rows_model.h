// A table of plain rows: a subclass names its columns and says what a cell shows; this base does
// the rest. update() replaces the rows by key and tells the view the least: changed, new and gone
// rows, so that selection, scroll and what the pointer is on stay. GUI thread only.
//
// Row needs `std::int64_t key_of(const Row&)` in its namespace (or override key()), and ==.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QVariant>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/data/column.h"

namespace dt::gui {

// What views and filters know of any table.
class TableModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;
  virtual const std::vector<Column>& columns() const = 0;
};

template <class Row>
class RowsModel : public TableModel {
 public:
  using TableModel::TableModel;

  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::TextAlignmentRole) return alignment(column);
    return {};
  }
  QVariant data(const QModelIndex& index, int role) const final {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole) {
      return alignment(columns_[static_cast<std::size_t>(index.column())]);
    }
    if (role == key_role) return QVariant::fromValue<qint64>(key(row));
    return cell(row, index.column(), role);
  }

  const std::vector<Column>& columns() const final { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(std::int64_t key) const {
    const auto it = places_.find(key);
    return it == places_.end() ? nullptr : &rows_[it->second];
  }

  // The rows as they are now, in any order; keys are unique.
  void update(std::vector<Row> rows);
  // Some rows as they are now: known ones change, others are new; costs as much as these rows.
  void merge(std::vector<Row> rows);

 protected:
  // A change of columns is a model reset.
  void set_columns(std::vector<Column> columns) {
    if (columns.size() == columns_.size() && same_names(columns)) return;
    this->beginResetModel();
    columns_ = std::move(columns);
    this->endResetModel();
  }

  virtual std::int64_t key(const Row& row) const = 0;
  virtual QVariant cell(const Row& row, int column, int role) const = 0;

 private:
  static QVariant alignment(const Column& column) {
    return QVariant(int((column.is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  bool same_names(const std::vector<Column>& columns) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name != columns_[i].name || columns[i].title != columns_[i].title)
        return false;
    }
    return true;
  }
  void remove_missing(const std::unordered_map<std::int64_t, std::size_t>& places);
  void append(std::vector<Row> rows);
  void replace(std::size_t at, Row& fresh) {
    if (fresh == rows_[at]) return;
    rows_[at] = std::move(fresh);
    const int row = static_cast<int>(at);
    Q_EMIT this->dataChanged(this->index(row, 0), this->index(row, columnCount() - 1));
  }
  void index_rows() {
    places_.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i) places_[key(rows_[i])] = i;
  }

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::unordered_map<std::int64_t, std::size_t> places_;
};

template <class Row>
void RowsModel<Row>::remove_missing(const std::unordered_map<std::int64_t, std::size_t>& places) {
  bool any = false;
  for (int last = rowCount() - 1; last >= 0; --last) {
    if (places.contains(key(rows_[static_cast<std::size_t>(last)]))) continue;
    int first = last;  // a run of rows that are gone
    while (first > 0 && !places.contains(key(rows_[static_cast<std::size_t>(first - 1)]))) --first;
    if (!any) places_.clear();  // find() knows nothing until all are gone, rather than wrong rows
    any = true;
    this->beginRemoveRows({}, first, last);
    rows_.erase(rows_.begin() + first, rows_.begin() + last + 1);
    this->endRemoveRows();
    last = first;
  }
  if (any) index_rows();
}

template <class Row>
void RowsModel<Row>::append(std::vector<Row> rows) {
  if (rows.empty()) return;
  const int first = rowCount();
  this->beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
  for (Row& row : rows) {
    places_[key(row)] = rows_.size();
    rows_.push_back(std::move(row));
  }
  this->endInsertRows();
}

template <class Row>
void RowsModel<Row>::update(std::vector<Row> rows) {
  std::unordered_map<std::int64_t, std::size_t> new_places;
  for (std::size_t i = 0; i < rows.size(); ++i) new_places[key(rows[i])] = i;
  remove_missing(new_places);
  merge(std::move(rows));
}

template <class Row>
void RowsModel<Row>::merge(std::vector<Row> rows) {
  std::vector<Row> added;
  for (Row& row : rows) {
    const auto known = places_.find(key(row));
    if (known == places_.end()) {
      added.push_back(std::move(row));
    } else {
      replace(known->second, row);
    }
  }
  append(std::move(added));
}

}  // namespace dt::gui
