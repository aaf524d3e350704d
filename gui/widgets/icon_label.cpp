#include "gui/widgets/icon_label.h"

#include <QPainter>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int side = 40;

}  // namespace

IconLabel::IconLabel(QWidget* parent) : QWidget(parent) { setFixedSize(side, side); }

void IconLabel::set_icon(Icon name) {
  name_ = name;
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_icon(painter, name_, rect(), theme().faint);
}

}  // namespace dt::gui
