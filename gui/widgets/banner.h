// The line below the header while something is wrong with the connection: what is so, what the
// window does about it, and what can be done. GUI thread only.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace dt::gui {

class Banner : public QWidget {
  Q_OBJECT

 public:
  explicit Banner(QWidget* parent = nullptr);

  void show_text(const QString& text, const QString& button);
  QString text() const;

 Q_SIGNALS:
  void pressed();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QPushButton* button_;
};

}  // namespace dt::gui
