// Qt's Fusion with the few parts that our style sheet cannot paint without picture files: the mark
// of a check box, in colours of the theme. GUI thread only.
#pragma once

#include <QProxyStyle>

namespace dt::gui {

class WindowStyle : public QProxyStyle {
  Q_OBJECT

 public:
  WindowStyle();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

}  // namespace dt::gui
