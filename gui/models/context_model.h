// The context folder as a tree for a view: names, sizes, and what leaves a path out. GUI thread only.
#pragma once

#include <QAbstractItemModel>

#include "gui/data/context_tree.h"

namespace dt::gui {

class ContextModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { name, size, files, left_out, column_count };

  using QAbstractItemModel::QAbstractItemModel;

  void set_tree(ContextTree tree);
  const ContextTree& tree() const { return tree_; }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const ContextNode* node(const QModelIndex& index) const;
  static QString text(const ContextNode& node, int column);

  ContextTree tree_;
};

}  // namespace dt::gui
