#include "gui/widgets/combo_box.h"

#include <QPainter>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int arrow_size = 12;

}  // namespace

ComboBox::ComboBox(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

void ComboBox::paintEvent(QPaintEvent* event) {
  QComboBox::paintEvent(event);
  QPainter painter(this);
  const bool is_right_to_left = layoutDirection() == Qt::RightToLeft;
  const int left = is_right_to_left ? grid : width() - grid - arrow_size;
  paint_icon(painter, Icon::expand,
             QRect(left, (height() - arrow_size) / 2, arrow_size, arrow_size), theme().faint);
}

}  // namespace dt::gui
