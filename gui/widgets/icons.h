// Our icons: one set of line drawings on a grid of 16, painted at any size in a colour of the
// palette, so they are sharp at every scale and follow the theme by themselves. GUI thread only.
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace dt::gui {

enum class Icon {
  experiments,
  compare,
  launch,
  queue,
  cluster,
  logs,
  search,
  settings,
  theme,
  help,
  back,
  forward,
  close,
  tear_off,
  dock_back,
  split,
  pause,
  play,
  stop,
  kill,
  fork,
  copy,
  open,
  refresh,
  filter,
  columns,
  pin,
  save,
  folder,
  warning,
  offline,
  info,
  check,
  empty,
  dot,
  more,
  expand,
  archive,
  erase,
};

QIcon icon(Icon name);
// In one colour whatever the theme says, for state.
QIcon icon(Icon name, const QColor& color);
void paint_icon(QPainter& painter, Icon name, const QRectF& where, const QColor& color);

}  // namespace dt::gui
