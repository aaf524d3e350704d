// One thread that waits for file descriptors and timers and calls handlers. Timers run on
// CLOCK_BOOTTIME, which counts through a suspend. A handler may add and remove any watch, its own
// too. All methods belong to the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "base/status.h"
#include "base/time.h"

namespace dt::shim {

class EventLoop {
 public:
  using Handler = std::function<void()>;
  using TimerId = std::int64_t;

  static Result<std::unique_ptr<EventLoop>> create();

  static Time now();  // milliseconds of CLOCK_BOOTTIME

  // Level-triggered; a hang-up or an error counts as readable. Either handler may be null.
  void watch(int fd, Handler readable, Handler writable = nullptr);
  void set_interest(int fd, bool reads, bool writes);
  void unwatch(int fd);  // before the descriptor is closed

  TimerId at(Time time, Handler handler);
  void cancel(TimerId timer);  // unknown ids are ignored
  void post(Handler handler);  // soon, after the handlers that run now

  void run();  // until stop()
  void stop();

 private:
  struct Watch {
    Handler readable;
    Handler writable;
    bool reads = true;
    bool writes = false;
    bool added = false;  // to epoll
  };

  EventLoop(Fd epoll, Fd timer);
  void apply(int fd, Watch& watch);
  void dispatch(int fd, std::uint32_t events);
  void run_timers();
  void run_posted();
  void arm_timer();

  Fd epoll_;
  Fd timer_;
  std::map<int, std::shared_ptr<Watch>> watches_;  // shared: a handler may remove its own
  std::map<std::pair<Time, TimerId>, Handler> timers_;
  std::vector<Handler> posted_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace dt::shim
