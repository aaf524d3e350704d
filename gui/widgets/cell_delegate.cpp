#include "gui/widgets/cell_delegate.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QWidget>

#include "gui/data/column.h"
#include "gui/data/format.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int padding = grid;
constexpr int dot_side = 8;
constexpr int swatch_side = 10;
constexpr int bar_height = 6;

void paint_ground(QPainter& painter, const QStyleOptionViewItem& option, bool is_hovered) {
  const Theme& t = theme();
  if (option.state & QStyle::State_Selected) {
    painter.fillRect(option.rect, t.selection);
  } else if (is_hovered) {
    painter.fillRect(option.rect, t.hover);
  }
  painter.setPen(t.is_dark ? t.hover : t.window);
  painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

// The bar takes what its number leaves; the number stands on the right.
void paint_fraction(QPainter& painter, QRect rect, double fraction, const QString& text) {
  const int text_width = painter.fontMetrics().horizontalAdvance(QStringLiteral("100%"));
  const QRect number_rect = rect.adjusted(rect.width() - text_width, 0, 0, 0);
  painter.setPen(theme().text);
  painter.drawText(number_rect, Qt::AlignRight | Qt::AlignVCenter, text);
  QRectF bar(rect.left(), rect.center().y() - bar_height / 2.0 + 0.5,
             rect.width() - text_width - padding, bar_height);
  if (bar.width() < 16) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().line);
  painter.drawRoundedRect(bar, bar_height / 2.0, bar_height / 2.0);
  if (fraction <= 0) return;
  bar.setWidth(std::max<qreal>(bar_height, bar.width() * std::min(fraction, 1.0)));
  painter.setBrush(theme().accent);
  painter.drawRoundedRect(bar, bar_height / 2.0, bar_height / 2.0);
}

void paint_swatch(QPainter& painter, QRect& rect, const QColor& color) {
  const QRectF swatch(rect.left(), rect.center().y() - swatch_side / 2.0 + 0.5, swatch_side,
                      swatch_side);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawRoundedRect(swatch, 2, 2);
  rect.setLeft(rect.left() + swatch_side + padding);
}

void paint_focus(QPainter& painter, const QStyleOptionViewItem& option) {
  if (!(option.state & QStyle::State_HasFocus)) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(theme().accent);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
}

}  // namespace

void paint_dot(QPainter& painter, const QRectF& where, const QString& state_word) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(tone_color(tone_of(state_word)));
  painter.drawEllipse(where.center(), dot_side / 2.0, dot_side / 2.0);
  painter.restore();
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  painter->save();
  painter->setClipRect(option.rect);
  paint_ground(*painter, option, index.row() == hovered_row_);
  painter->setFont(option.font);
  QRect rect = option.rect.adjusted(padding, 0, -padding, 0);
  const QString text = index.data(Qt::DisplayRole).toString();
  const QVariant fraction = index.data(fraction_role);
  const QVariant state = index.data(state_role);
  const QVariant swatch = index.data(swatch_role);
  if (fraction.isValid()) {
    paint_fraction(*painter, rect, fraction.toDouble(), text);
  } else {
    if (swatch.isValid()) paint_swatch(*painter, rect, swatch.value<QColor>());
    if (state.isValid()) {
      paint_dot(*painter, QRectF(rect.left(), rect.top(), dot_side, rect.height()),
                state.toString());
      rect.setLeft(rect.left() + dot_side + padding);
    }
    const QVariant aligned = index.data(Qt::TextAlignmentRole);
    const int alignment = aligned.isValid() ? aligned.toInt() : Qt::AlignLeft | Qt::AlignVCenter;
    const QVariant color = index.data(Qt::ForegroundRole);
    painter->setPen(color.isValid() ? color.value<QColor>() : theme().text);
    painter->drawText(rect, alignment | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
  }
  paint_focus(*painter, option);
  painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QString text = index.data(Qt::DisplayRole).toString();
  int width = option.fontMetrics.horizontalAdvance(text) + 2 * padding;
  if (index.data(state_role).isValid()) width += dot_side + padding;
  if (index.data(swatch_role).isValid()) width += swatch_side + padding;
  if (index.data(fraction_role).isValid()) width += 8 * padding;
  return {width, row_height};
}

bool CellDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view,
                             const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (event->type() != QEvent::ToolTip) return false;
  QString tip = index.data(Qt::ToolTipRole).toString();
  if (tip.isEmpty() && sizeHint(option, index).width() > option.rect.width()) {
    tip = index.data(Qt::DisplayRole).toString();
  }
  QToolTip::showText(event->globalPos(), tip_text(tip), view);
  return true;
}

}  // namespace dt::gui
