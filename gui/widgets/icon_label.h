// A large icon in the second rank's colour, which follows the theme.
#pragma once

#include <QWidget>

#include "gui/widgets/icons.h"

namespace dt::gui {

class IconLabel : public QWidget {
  Q_OBJECT

 public:
  explicit IconLabel(QWidget* parent = nullptr);

  void set_icon(Icon name);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Icon name_ = Icon::empty;
};

}  // namespace dt::gui
