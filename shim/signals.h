// Signals as ordinary events of the loop. block_signals() comes first in main, before any thread.
#pragma once

#include <functional>
#include <initializer_list>

#include "shim/event_loop.h"

namespace dt::shim {

// Blocks them in this thread and those it starts; SIGPIPE is ignored.
void block_signals(std::initializer_list<int> signals);

class Signals {
 public:
  Signals(EventLoop& loop, std::initializer_list<int> signals,
          std::function<void(int signal)> on_signal);
  ~Signals();

 private:
  EventLoop& loop_;
  Fd fd_;
};

}  // namespace dt::shim
