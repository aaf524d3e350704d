// Short words in the corner: what was done, with a way back; what ended; what went wrong. They
// never take the focus. Good news leaves by itself, an error stays until it is closed. GUI thread
// only.
#pragma once

#include <QWidget>
#include <functional>

#include "gui/data/format.h"

class QVBoxLayout;

namespace dt::gui {

class Toasts : public QWidget {
  Q_OBJECT

 public:
  // Over this widget's lower right corner.
  explicit Toasts(QWidget* over);

  struct Words {
    Tone tone = Tone::neutral;
    QString text;
    QString button;  // empty: none
    std::function<void()> on_button;
    bool stays = false;
  };
  void add(Words words);
  QStringList texts() const;  // from the oldest

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QVBoxLayout* layout_;
};

}  // namespace dt::gui
