#include "gui/widgets/spinner.h"

#include <QPainter>
#include <chrono>

#include "gui/widgets/theme.h"

namespace dt::gui {

Spinner::Spinner(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  turn_.setInterval(std::chrono::milliseconds(40));
  connect(&turn_, &QTimer::timeout, this, [this] {
    angle_ = (angle_ + 18) % 360;
    update();
  });
}

void Spinner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF ring = QRectF(rect()).adjusted(3, 3, -3, -3);
  painter.setPen(QPen(theme().line, 2.5));
  painter.drawEllipse(ring);
  painter.setPen(QPen(theme().accent, 2.5, Qt::SolidLine, Qt::RoundCap));
  painter.drawArc(ring, -angle_ * 16, 100 * 16);
}

void Spinner::showEvent(QShowEvent*) { turn_.start(); }

void Spinner::hideEvent(QHideEvent*) { turn_.stop(); }

}  // namespace dt::gui
