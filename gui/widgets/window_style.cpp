#include "gui/widgets/window_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr qreal corner = 3;

void paint_check_box(QPainter& painter, const QStyleOption& option) {
  const bool is_on = option.state & QStyle::State_On;
  const bool is_enabled = option.state & QStyle::State_Enabled;
  const bool is_focused = option.state & (QStyle::State_HasFocus | QStyle::State_MouseOver);
  const QColor ground = !is_on ? theme().surface : is_enabled ? theme().accent : theme().faint;
  const QColor edge = is_on ? ground : is_focused ? theme().accent : theme().faint;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(edge, 1));
  painter.setBrush(ground);
  const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.drawRoundedRect(box, corner, corner);
  painter.restore();
  if (is_on) paint_icon(painter, Icon::check, box, theme().on_accent);
}

}  // namespace

WindowStyle::WindowStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void WindowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                QPainter* painter, const QWidget* widget) const {
  if (element == PE_IndicatorCheckBox) return paint_check_box(*painter, *option);
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

}  // namespace dt::gui
