// Columns that stay at the left edge of a table while the others scroll: a second view of the same
// rows and the same selection, laid over the first. GUI thread only.
#pragma once

#include <QStringList>
#include <QTableView>

namespace dt::gui {

class TableView;

class PinnedColumns : public QTableView {
  Q_OBJECT

 public:
  explicit PinnedColumns(TableView& table);

  const QStringList& names() const { return names_; }
  // A pinned column moves to the left end of the table.
  void pin(const QString& name, bool on);
  void place();
  void repaint_rows() { viewport()->update(); }

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void update_columns();

  TableView& table_;
  QStringList names_;
};

}  // namespace dt::gui
