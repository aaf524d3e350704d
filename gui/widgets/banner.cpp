#include "gui/widgets/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int icon_side = 18;

// A breath of the warning's colour, so that text keeps its contrast.
QColor ground() {
  const QColor mark = theme().warning;
  const QColor below = theme().surface;
  const auto mix = [](int a, int b) { return (a * 12 + b * 88) / 100; };
  return QColor(mix(mark.red(), below.red()), mix(mark.green(), below.green()),
                mix(mark.blue(), below.blue()));
}

}  // namespace

Banner::Banner(QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), button_(new QPushButton(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2 * grid + icon_side + grid, half_grid, grid, half_grid);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  layout->addWidget(text_, 1);
  layout->addWidget(button_);
  connect(button_, &QPushButton::clicked, this, &Banner::pressed);
  hide();
}

void Banner::show_text(const QString& text, const QString& button) {
  text_->setText(text);
  button_->setText(button);
  button_->setVisible(!button.isEmpty());
  show();
}

QString Banner::text() const { return text_->text(); }

void Banner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), ground());
  painter.setPen(theme().line);
  painter.drawLine(rect().bottomLeft(), rect().bottomRight());
  const QRectF place(2 * grid, (height() - icon_side) / 2.0, icon_side, icon_side);
  paint_icon(painter, Icon::offline, place, theme().warning);
}

}  // namespace dt::gui
