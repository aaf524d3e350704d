// One area of pages as tabs. A tab is dragged to another place, out of the bar into a window of its
// own, or closed; its menu says the same in words. GUI thread only.
#pragma once

#include <QTabBar>
#include <QTabWidget>

namespace dt::gui {

class PageTabs : public QTabWidget {
  Q_OBJECT

 public:
  explicit PageTabs(QWidget* parent = nullptr);

  // The tab follows the page's windowTitle().
  void add(QWidget* page);
  // Takes the page out without deleting it.
  void take(QWidget* page);

 Q_SIGNALS:
  void changed();  // what is shown, in which order, or what is in front
  void tear_off_wanted(QWidget* page);
  void other_side_wanted(QWidget* page);
  void close_wanted(QWidget* page);
  void close_others_wanted(QWidget* page);

 private:
  void show_menu(const QPoint& at);
  void show_title(QWidget* page);
};

// Says when a tab is dragged far out of it.
class TearOffBar : public QTabBar {
  Q_OBJECT

 public:
  using QTabBar::QTabBar;

 Q_SIGNALS:
  void torn_off(int tab);
  void middle_clicked(int tab);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  int pressed_ = -1;
};

}  // namespace dt::gui
