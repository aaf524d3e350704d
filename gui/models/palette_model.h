// What the command palette lists: the entries that fit the typed letters, best first. GUI thread
// only.
#pragma once

#include <QAbstractListModel>
#include <functional>
#include <vector>

#include "gui/widgets/icons.h"

namespace dt::gui {

struct PaletteEntry {
  Icon icon = Icon::dot;
  QString title;   // what is matched
  QString detail;  // "completed, 3h ago"; matched less
  QString key;     // "Ctrl+3"
  int rank = 0;    // added to how well it fits: commands before things
  std::function<void()> run;
};

class PaletteModel : public QAbstractListModel {
 public:
  enum PaletteRole { detail_role = Qt::UserRole + 1, key_text_role, icon_role };

  using QAbstractListModel::QAbstractListModel;

  void set_entries(std::vector<PaletteEntry> entries);
  void set_pattern(const QString& pattern);
  const PaletteEntry* entry(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<PaletteEntry> entries_;
  std::vector<std::size_t> shown_;
  QString pattern_;
};

}  // namespace dt::gui
