// How a daemon hears that it shall end: SIGINT and SIGTERM become something to wait for, in every
// thread that begins later too, and a broken pipe an error instead of a death. One is made in main,
// before any thread; any thread may call end().
#pragma once

namespace dt {

class Ending {
 public:
  Ending();
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // Until one of the signals comes: its number. Once for each.
  int wait() const;
  // Ends a wait as SIGTERM does, from within.
  static void end();

 private:
  int signal_fd_ = -1;
};

}  // namespace dt
