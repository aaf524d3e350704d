#include "gui/widgets/heat_delegate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/data/column.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr double palest = 0.04;
constexpr double strongest = 0.42;  // text keeps its contrast on it

}  // namespace

void HeatDelegate::set_range(double low, double high) {
  low_ = low;
  high_ = high;
}

void HeatDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  bool is_number = false;
  const double value = index.data(sort_role).toDouble(&is_number);
  const bool is_selected = option.state.testFlag(QStyle::State_Selected);
  if (is_number && std::isfinite(value) && high_ > low_ && !is_selected) {
    const double place = std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
    QColor ground = theme().accent;
    ground.setAlphaF(static_cast<float>(palest + place * (strongest - palest)));
    painter->fillRect(option.rect, ground);
  }
  CellDelegate::paint(painter, option, index);
}

}  // namespace dt::gui
