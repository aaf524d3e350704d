// A metric as a line as small as a word, in a table's cell: the shape, not the values. GUI thread
// only.
#pragma once

#include "gui/widgets/cell_delegate.h"

namespace dt::gui {

class SparkDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace dt::gui
