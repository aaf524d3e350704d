#include "gui/models/overrides_model.h"

namespace dt::gui {

using namespace Qt::StringLiterals;

void OverridesModel::set_overrides(std::vector<Override> overrides) {
  if (overrides == rows_) return;
  beginResetModel();
  rows_ = std::move(overrides);
  endResetModel();
}

void OverridesModel::remove(int row) {
  if (row < 0 || row >= last_row()) return;
  beginRemoveRows({}, row, row);
  rows_.erase(rows_.begin() + row);
  endRemoveRows();
  Q_EMIT edited();
}

int OverridesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : last_row() + 1;
}

int OverridesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant OverridesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  if (index.row() == last_row()) return QString();
  const Override& row = rows_[static_cast<std::size_t>(index.row())];
  return index.column() == key ? row.key : row.value;
}

QVariant OverridesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == key ? u"Other key"_s : u"Value (YAML)"_s;
}

Qt::ItemFlags OverridesModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable | Qt::ItemNeverHasChildren;
}

bool OverridesModel::setData(const QModelIndex& index, const QVariant& text, int role) {
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  const QString words = text.toString().trimmed();
  if (index.row() == last_row()) {
    if (words.isEmpty()) return false;
    beginInsertRows({}, last_row() + 1, last_row() + 1);  // the next empty one
    rows_.emplace_back();
    endInsertRows();
  }
  Override& row = rows_[static_cast<std::size_t>(index.row())];
  (index.column() == key ? row.key : row.value) = words;
  Q_EMIT dataChanged(this->index(index.row(), 0), this->index(index.row(), column_count - 1));
  if (row.key.isEmpty() && row.value.isEmpty()) {
    remove(index.row());
  } else {
    Q_EMIT edited();
  }
  return true;
}

}  // namespace dt::gui
