#include "tests/gui/watched_application.h"

#include <time.h>

#include <QEvent>
#include <QThread>
#include <algorithm>
#include <utility>

namespace dt::gui {
namespace {

constexpr double kept_ms = 8;
constexpr std::size_t kept_max = 10'000;

double read_ms(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

WatchedApplication::Span WatchedApplication::now() {
  return {read_ms(CLOCK_THREAD_CPUTIME_ID), read_ms(CLOCK_MONOTONIC)};
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  const int level = QThread::currentThread()->loopLevel();
  const bool is_gui = QThread::currentThread() == thread();
  if (!is_gui || level == level_)
    return QApplication::notify(receiver, event);  // part of its caller
  Handled handled{.receiver = QString::fromLatin1(receiver->metaObject()->className()) + u' ' +
                              receiver->objectName(),
                  .event = event->type()};
  const int outer_level = std::exchange(level_, level);
  const Span outer_loops = std::exchange(in_loops_, {});
  const Span begin = now();
  const bool was_watched = watch_waits(true);
  const bool is_handled = QApplication::notify(receiver, event);
  watch_waits(was_watched);
  const Span end = now();
  const Span whole{end.cpu_ms - begin.cpu_ms, end.wall_ms - begin.wall_ms};
  handled.cpu_ms = whole.cpu_ms - in_loops_.cpu_ms;
  handled.wall_ms = whole.wall_ms - in_loops_.wall_ms;
  handled.waits = take_waits();
  level_ = outer_level;
  in_loops_ = {outer_loops.cpu_ms + whole.cpu_ms, outer_loops.wall_ms + whole.wall_ms};
  note(std::move(handled));
  return is_handled;
}

void WatchedApplication::note(Handled handled) {
  ++count_;
  if (std::exchange(is_disregarded_, false)) return;
  const bool is_slow = std::max(handled.cpu_ms, handled.wall_ms) > kept_ms;
  if ((is_slow || !handled.waits.empty()) && slow_.size() < kept_max) {
    slow_.push_back(std::move(handled));
  }
}

std::vector<Handled> WatchedApplication::slow() const {
  std::vector<Handled> sorted = slow_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Handled& a, const Handled& b) { return a.cpu_ms > b.cpu_ms; });
  return sorted;
}

}  // namespace dt::gui
