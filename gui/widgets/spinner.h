// Something is on its way: a ring that turns while it is visible. GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>

namespace dt::gui {

class Spinner : public QWidget {
  Q_OBJECT

 public:
  explicit Spinner(QWidget* parent = nullptr);
  QSize sizeHint() const override { return {24, 24}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QTimer turn_;
  int angle_ = 0;
};

}  // namespace dt::gui
