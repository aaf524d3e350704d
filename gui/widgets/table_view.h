// The table of every page: rows of a TableModel, filtered, sorted, live without moving what the
// pointer is on. Columns are dragged, hidden and pinned; that is kept under the table's name.
// Double click or Enter opens a row's link, a right click asks for its menu. GUI thread only.
#pragma once

#include <QTableView>
#include <QTimer>
#include <utility>
#include <vector>

#include "gui/data/links.h"
#include "gui/models/rows_model.h"
#include "gui/models/sorted_rows.h"

class QMenu;

namespace dt::gui {

class CellDelegate;
class PinnedColumns;
class TableHeader;

class TableView : public QTableView {
  Q_OBJECT

 public:
  // `name` is what its layout is saved under: "experiments".
  TableView(TableModel& rows, const QString& name, QWidget* parent = nullptr);

  SortedRows& sorted() { return sorted_; }
  void set_filter(Filter filter) { sorted_.set_filter(std::move(filter)); }
  // The order until the user chooses another, which is kept.
  void set_default_sort(std::vector<SortKey> keys);
  // Until the user arranges the columns.
  void show_by_default(const QString& column, bool on);

  // The selected rows, from the top down; else the one the cursor is on.
  std::vector<Link> chosen_links() const;
  std::vector<std::int64_t> chosen_keys() const;
  void select_keys(const std::vector<std::int64_t>& keys);

 Q_SIGNALS:
  void opened(const dt::gui::Link& link);
  void menu_wanted(const QPoint& global);
  void selection_changed();
  void toggled();         // Space on the chosen rows
  void compare_wanted();  // C
  void fork_wanted();     // F
  void palette_wanted();  // .

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  friend class PinnedColumns;

  void listen();
  void apply_columns();
  void stretch_columns();
  void show_column(const QString& name, bool on);
  void show_header_menu(const QPoint& at);
  void add_pin_action(QMenu& menu, int column);
  void sort_by(const std::vector<SortKey>& keys);
  void open(const QModelIndex& index);
  void hover(int row);
  QModelIndexList chosen_rows() const;
  void restore_layout();
  void save_layout();

  TableModel& rows_;
  QString name_;
  SortedRows sorted_;
  TableHeader* header_;
  CellDelegate* delegate_;
  PinnedColumns* pinned_;
  std::vector<bool> is_sized_;  // the user chose the column's width
  bool is_placing_ = false;     // our own changes of the header are not the user's
  QTimer refresh_ages_;  // "3m ago" grows older
};

}  // namespace dt::gui
