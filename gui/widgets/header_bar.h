// The line on top: whose master this is and whether it answers, back and forward, and the way to
// everything by Ctrl+K. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/widgets/icons.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace dt::gui {

class StateLabel;

class HeaderBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeaderBar(QWidget* parent = nullptr);

  void show_master(const QString& name, const QString& tip);
  void show_state(const QString& word);  // "connected", "offline", "connecting"
  void enable_history(bool back, bool forward);
  QPoint menu_place() const;  // where the window's menu opens, global

 Q_SIGNALS:
  void palette_wanted();
  void back_wanted();
  void forward_wanted();
  void menu_wanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QToolButton* flat_button(Icon picture, const QString& tip);

  QToolButton* back_;
  QToolButton* forward_;
  QLabel* master_;
  StateLabel* state_;
  QPushButton* search_;
  QToolButton* connection_;
};

}  // namespace dt::gui
