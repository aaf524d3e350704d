// Values on top of a configuration: key and value, with an empty row at the end to type into. A row
// that loses both texts goes. GUI thread only.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "gui/data/launch_draft.h"

namespace dt::gui {

class OverridesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { key, value, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  void set_overrides(std::vector<Override> overrides);
  const std::vector<Override>& overrides() const { return rows_; }
  void remove(int row);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& text, int role) override;

 Q_SIGNALS:
  void edited();

 private:
  int last_row() const { return static_cast<int>(rows_.size()); }  // the empty one

  std::vector<Override> rows_;
};

}  // namespace dt::gui
