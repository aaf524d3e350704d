// A titled area of a page: a heading, perhaps a word at its right, and what belongs below.
// GUI thread only.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace dt::gui {

class Card : public QFrame {
  Q_OBJECT

 public:
  explicit Card(const QString& title, QWidget* parent = nullptr);

  QVBoxLayout* body() { return body_; }
  QHBoxLayout* heading() { return heading_; }  // after the title
  void set_title(const QString& title);
  // Plain text at the right of the title.
  void set_word(const QString& word);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QHBoxLayout* heading_;
  QVBoxLayout* body_;
  QLabel* title_;
  QLabel* word_;
};

// A label whose colour is the theme's second rank, and follows it. Plain text.
class FaintLabel : public QFrame {
  Q_OBJECT

 public:
  explicit FaintLabel(const QString& text = {}, QWidget* parent = nullptr);

  void set_text(const QString& text);
  QString text() const;
  void set_bad(bool is_bad);  // in the colour of errors instead

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void recolor();

  QLabel* label_;
  bool is_bad_ = false;
};

}  // namespace dt::gui
