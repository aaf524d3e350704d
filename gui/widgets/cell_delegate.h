// Paints every table's cells alike: a state is a dot and a word, a fraction a bar with its number,
// a run carries its swatch, numbers have tabular figures. What a cell is, its roles say
// (data/column.h).
#pragma once

#include <QStyledItemDelegate>

namespace dt::gui {

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  // The cell's tip, or its text when there was no room for it; always as plain text.
  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override;

  // The whole row lights up below the pointer; −1: none.
  void set_hovered_row(int row) { hovered_row_ = row; }
  int hovered_row() const { return hovered_row_; }

 private:
  int hovered_row_ = -1;
};

// A state's dot, for headers of pages too.
void paint_dot(QPainter& painter, const QRectF& where, const QString& state_word);

}  // namespace dt::gui
