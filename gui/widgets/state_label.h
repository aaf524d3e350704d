// A state outside of tables: the same dot and word.
#pragma once

#include <QWidget>

namespace dt::gui {

class StateLabel : public QWidget {
  Q_OBJECT

 public:
  explicit StateLabel(QWidget* parent = nullptr);

  void show_state(const QString& word);
  const QString& word() const { return word_; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString word_;
};

}  // namespace dt::gui
