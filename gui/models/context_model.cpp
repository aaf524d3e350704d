#include "gui/models/context_model.h"

#include <QFont>
#include <algorithm>
#include <array>

#include "gui/data/format.h"

namespace dt::gui {

using namespace Qt::StringLiterals;

void ContextModel::set_tree(ContextTree tree) {
  beginResetModel();
  tree_ = std::move(tree);
  endResetModel();
}

// The folder itself is not shown: its children are the top rows.
const ContextNode* ContextModel::node(const QModelIndex& index) const {
  if (tree_.nodes.empty()) return nullptr;
  return &tree_.nodes[index.isValid() ? static_cast<std::size_t>(index.internalId()) : 0];
}

QModelIndex ContextModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const int at = node(parent)->children[static_cast<std::size_t>(row)];
  return createIndex(row, column, static_cast<quintptr>(at));
}

QModelIndex ContextModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) return {};
  const int at = node(child)->parent;
  if (at <= 0) return {};
  const ContextNode& parent_node = tree_.nodes[static_cast<std::size_t>(at)];
  const auto& siblings = tree_.nodes[static_cast<std::size_t>(parent_node.parent)].children;
  const auto row = std::find(siblings.begin(), siblings.end(), at) - siblings.begin();
  return createIndex(static_cast<int>(row), 0, static_cast<quintptr>(at));
}

int ContextModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  const ContextNode* shown = node(parent);
  return shown == nullptr ? 0 : static_cast<int>(shown->children.size());
}

int ContextModel::columnCount(const QModelIndex&) const { return column_count; }

QString ContextModel::text(const ContextNode& node, int column) {
  switch (column) {
    case name: return one_line(node.name) + (node.is_folder ? u"/"_s : QString());
    case size: return node.ignored_by.isEmpty() ? bytes(node.bytes) : QString();
    case files: return node.is_folder && node.files > 0 ? integer(node.files) : QString();
    default: return one_line(node.ignored_by);
  }
}

QVariant ContextModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const ContextNode& shown = *node(index);
  const bool is_number = index.column() == size || index.column() == files;
  switch (role) {
    case Qt::DisplayRole: return text(shown, index.column());
    case Qt::ToolTipRole: return plain(shown.name).toHtmlEscaped();
    case Qt::TextAlignmentRole:
      return QVariant(int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    case Qt::FontRole: {
      QFont font;
      font.setItalic(true);
      return shown.ignored_by.isEmpty() ? QVariant() : QVariant(font);
    }
    default: return {};
  }
}

QVariant ContextModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const std::array titles = {u"Name"_s, u"Size"_s, u"Files"_s, u"Left out by"_s};
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return titles[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole) {
    const bool is_number = section == size || section == files;
    return QVariant(int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  return {};
}

}  // namespace dt::gui
