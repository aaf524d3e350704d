#include "gui/widgets/state_label.h"

#include <QPainter>

#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int dot_width = 2 * grid;

}  // namespace

StateLabel::StateLabel(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StateLabel::show_state(const QString& word) {
  if (word_ == word) return;
  word_ = word;
  setAccessibleName(word);
  updateGeometry();
  update();
}

QSize StateLabel::sizeHint() const {
  return {dot_width + fontMetrics().horizontalAdvance(word_) + half_grid, row_height};
}

void StateLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_dot(painter, QRectF(0, 0, grid, height()), word_);
  painter.setPen(theme().text);
  painter.drawText(rect().adjusted(dot_width, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, word_);
}

}  // namespace dt::gui
