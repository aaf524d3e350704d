// dt-gui's application in the tests: it measures every event handler of the GUI thread by the CPU
// time of the thread, and notes what it waited for (waits.h). A handler counts with all it calls,
// but not what runs in an event loop below it (a menu, a dialog): that counts for itself. GUI
// thread only.
#pragma once

#include <QApplication>
#include <QString>
#include <cstdint>
#include <vector>

#include "tests/gui/waits.h"

namespace dt::gui {

struct Handled {
  QString receiver;  // class and object name
  int event = 0;     // QEvent::Type
  double cpu_ms = 0;
  double wall_ms = 0;
  std::vector<Wait> waits;
};

class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override;

  // Handlers that took more than a few ms of either or waited, the most expensive first.
  std::vector<Handled> slow() const;
  std::int64_t count() const { return count_; }
  // The handler that runs is the test's own.
  void disregard_this_handler() { is_disregarded_ = true; }

 private:
  struct Span {
    double cpu_ms = 0;
    double wall_ms = 0;
  };
  static Span now();
  void note(Handled handled);

  int level_ = -1;  // of the event loop of the handler that runs; −1: none
  Span in_loops_;   // spent in event loops below that handler
  bool is_disregarded_ = false;
  std::int64_t count_ = 0;
  std::vector<Handled> slow_;
};

}  // namespace dt::gui
