// A table cell whose ground tells where its number lies between the smallest and the largest of its
// column: pale to strong, readable in both themes. GUI thread only.
#pragma once

#include "gui/widgets/cell_delegate.h"

namespace dt::gui {

class HeatDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;

  void set_range(double low, double high);
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  double low_ = 0;
  double high_ = 0;
};

}  // namespace dt::gui
