// The connections to this node's shims: one thread that connects to their control sockets, takes
// their word, and finds out when one is gone. A shim lives as long as its folder's lock is held or
// its process runs. Other threads give orders; the callbacks run on the own thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/agent/messages.h"

namespace dt::agent {

class Shims {
 public:
  struct Callbacks {
    // `first`: of this connection.
    std::function<void(const core::AllocationStatus&, std::int64_t spooled, bool first)> said;
    std::function<void(const AllocationId&)> gone;
  };

  Shims(std::string allocations, Callbacks callbacks);
  ~Shims();

  // Begins to watch a shim; `process` is its pidfd if this agent launched it.
  void watch(const AllocationId& id, Fd process);
  // An order, as shim's control messages are. Lost if the shim is not connected: orders are
  // repeated after it spoke.
  void send(const AllocationId& id, const Value& order);
  // Lets a shim go on that somebody stopped (SIGSTOP): an order to end must reach it.
  void wake(const AllocationId& id);

 private:
  struct Watched {
    std::string folder;
    Fd process;
    Fd socket;
    std::string received;
    std::string unsent;
    bool spoke = false;  // on this connection
    bool ended = false;  // it said so
    std::string problem;  // with its spool, as it said last
    Time retry_at = Time::min();
  };
  struct Watch {
    AllocationId id;
    Fd process;
  };
  struct Send {
    AllocationId id;
    std::string line;
  };
  struct Wake {
    AllocationId id;
  };
  using Request = std::variant<Watch, Send, Wake>;

  void ask(Request request);
  void run(const std::stop_token& stop);
  void take_requests();
  void take(Watch& request);
  void take(Send& request);
  void take(Wake& request);
  void tend(const AllocationId& id, Watched& shim);
  void connect(Watched& shim);
  bool lives(const Watched& shim) const;
  void close(Watched& shim);
  void receive(const AllocationId& id, Watched& shim);
  void take_line(const AllocationId& id, Watched& shim, std::string_view line);
  void tell_problem(const AllocationId& id, Watched& shim, const Value& problem);
  void flush(Watched& shim);
  bool bury(const AllocationId& id, Watched& shim);
  void wait();

  const std::string allocations_;
  const Callbacks callbacks_;
  Fd wakeup_;
  std::mutex mutex_;
  std::deque<Request> requests_;             // guarded by mutex_
  std::map<AllocationId, Watched> watched_;  // the thread's own
  std::jthread thread_;                      // last: it uses the others
};

// The lock of a living shim is held.
bool is_shim_alive(const std::string& folder);
// The last word of a shim, of state.json; nothing if there is none.
bool read_state(const std::string& folder, core::AllocationStatus& status);

}  // namespace dt::agent
