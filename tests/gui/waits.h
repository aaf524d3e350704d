// What a thread waits for while it should not: conditions and futexes that another thread must wake
// (an answer from a worker, a future, QWaitCondition), locks that another holds, threads, gRPC's
// sockets. The functions of libc that do so are replaced in the tests' own dt-gui; they behave as
// ever and are noted when they had to wait on a watched thread. What the X server is asked counts
// as its own kind, since every window system is.
#pragma once

#include <string>
#include <vector>

namespace dt::gui {

struct Wait {
  std::string function;  // "pthread_cond_wait"
  std::string library;   // that called it, "libgrpc.so.29"
  double ms = 0;
  bool is_lock = false;  // another thread held it; else it was waited for something to happen
};

// Whether the calling thread is watched from now on; gives what was so before.
bool watch_waits(bool on);
// Those noted since the last call, on any thread.
std::vector<Wait> take_waits();

}  // namespace dt::gui
