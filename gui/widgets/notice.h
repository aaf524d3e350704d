// What a page shows when it has nothing else: empty, loading, failed, offline. Each says what is so
// and what to do next. A Content is a widget and the notice that stands in for it; what was shown
// once stays while it is loaded again. All text is plain. GUI thread only.
#pragma once

#include <QStackedWidget>
#include <QTimer>
#include <functional>

#include "base/status.h"
#include "gui/widgets/icons.h"

class QLabel;
class QPushButton;

namespace dt::gui {

class IconLabel;
class Spinner;

class Notice : public QWidget {
  Q_OBJECT

 public:
  explicit Notice(QWidget* parent = nullptr);

  struct Words {
    Icon icon = Icon::empty;
    QString headline;  // "No experiments yet"
    QString text;      // what to do next
    QString button;    // empty: none
    std::function<void()> on_button;
  };
  void show_words(Words words);
  void show_loading(const QString& what);  // the spinner turns after 300 ms

 private:
  Spinner* spinner_;
  IconLabel* icon_;
  QLabel* headline_;
  QLabel* text_;
  QPushButton* button_;
  std::function<void()> on_button_;
  QTimer spin_later_;
};

class Content : public QStackedWidget {
  Q_OBJECT

 public:
  explicit Content(QWidget* shown, QWidget* parent = nullptr);

  void show_content();
  void show_empty(const QString& headline, const QString& text, const QString& button = {},
                  std::function<void()> on_button = {});
  void show_loading(const QString& what);
  // By its code: offline, not possible with this master, not allowed, or failed, with its way out.
  void show_problem(const Status& problem, const QString& what, std::function<void()> retry = {});
  bool is_content() const { return currentWidget() == shown_; }

 private:
  void show_words(Notice::Words words);

  QWidget* shown_;
  Notice* notice_;
};

}  // namespace dt::gui
