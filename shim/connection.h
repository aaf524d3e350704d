// One accepted Unix-socket connection that speaks lines: calls on_line for each line it reads,
// answers one over the limit by an error, buffers what it sends, and ends itself when the peer goes
// or lets 4 MiB of answers pile up. The owner destroys it outside of its callbacks
// (EventLoop::post).
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/value.h"
#include "shim/event_loop.h"

namespace dt::shim {

class Connection {
 public:
  using OnLine = std::function<void(std::string_view line)>;
  using OnClosed = std::function<void()>;
  static constexpr std::size_t max_line_bytes = 1 << 20;

  Connection(EventLoop& loop, Fd fd, OnLine on_line, OnClosed on_closed);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const Value& message);
  void close();  // calls on_closed once, from the loop

  // Back-pressure: reads nothing from the socket, but hands out lines already read.
  void set_reading(bool reading);
  // Hands out no further line until released, for a message that takes time.
  void hold();
  void release();
  bool is_held() const { return held_; }

  // Reads what is in the socket now, paused or not, up to 16 MiB: the peer is gone.
  void drain();

 private:
  void read_some();
  bool read_once();  // false: nothing there now, or closed
  void hand_out_lines();
  void take_line(std::string_view line);
  void refuse_long_line();
  void write_some();
  void update_interest();

  EventLoop& loop_;
  Fd fd_;
  OnLine on_line_;
  OnClosed on_closed_;
  std::string input_;
  std::size_t handed_out_ = 0;  // bytes of input_
  std::string output_;
  bool reading_ = true;
  bool held_ = false;
  bool handing_out_ = false;
  bool skipping_ = false;  // to the end of a line over the limit
};

// A listening socket at `path`; a path over the limit of 107 bytes is bound through its folder's
// descriptor. An old socket file there is replaced.
Result<Fd> listen_at(const std::string& path);
inline constexpr std::size_t max_socket_path_bytes = 107;

// The next waiting connection, non-blocking; closed Fd: there is none.
Fd accept_from(int listener);

struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};
Peer peer_of(int connection);

}  // namespace dt::shim
