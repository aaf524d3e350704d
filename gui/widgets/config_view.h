// A configuration to read: coloured, searchable, copied as a whole. Two texts can be switched
// between. GUI thread only.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QTabBar;

namespace dt::gui {

class YamlEditor;

class ConfigView : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigView(QWidget* parent = nullptr);

  void set_texts(const QString& submitted, const QString& resolved);

 Q_SIGNALS:
  void copied();

 private:
  void show_text();
  void search();
  void find(bool backwards);

  QString submitted_;
  QString resolved_;
  QTabBar* which_;
  QLineEdit* search_;
  QLabel* found_;
  YamlEditor* view_;
};

}  // namespace dt::gui
