// A small window over ours: a headline, what it is about, what is filled in, and two buttons. It
// closes when the owner accepts; until then a mistake is shown in it and nothing typed is lost.
// All text is plain. GUI thread only.
#pragma once

#include <QDialog>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace dt::gui {

class FormDialog : public QDialog {
  Q_OBJECT

 public:
  struct Words {
    QString headline;
    QString text;
    QString yes;
    QString no = QStringLiteral("Cancel");
  };
  FormDialog(const Words& words, QWidget* parent);

  QVBoxLayout* body() { return body_; }  // for what is filled in
  QPushButton* yes() { return yes_; }
  QPushButton* no() { return no_; }
  void show_problem(const QString& problem);  // and it can be tried again

 Q_SIGNALS:
  void wanted();  // the first button: accept() or show_problem() answers

 private:
  QVBoxLayout* body_;
  QLabel* problem_;
  QPushButton* yes_;
  QPushButton* no_;
};

}  // namespace dt::gui
