// A combo box with our arrow, tinted and sharp like every icon: a style sheet could only give it a
// picture from a file. As wide as its widest entry, whenever that comes. GUI thread only.
#pragma once

#include <QComboBox>

namespace dt::gui {

class ComboBox : public QComboBox {
  Q_OBJECT

 public:
  explicit ComboBox(QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace dt::gui
