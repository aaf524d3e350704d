// A page in a window of its own, with a button that puts it back. GUI thread only.
#pragma once

#include <QMainWindow>

namespace dt::gui {

class PageWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit PageWindow(QWidget* page);

  QWidget* page() const { return page_; }
  // The page without its window, which goes.
  QWidget* release();

 Q_SIGNALS:
  void put_back_wanted(QWidget* page);
  void closed(QWidget* page);
  void changed();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* page_;
};

}  // namespace dt::gui
