// The agent's connection to its shim: orders come in, the status goes out at the start and at every
// change. Only root and this process's own user may connect; the newest connection wins.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "shim/connection.h"

namespace dt::shim {

class ControlSocket {
 public:
  using Obey = std::function<Status(std::string_view line)>;
  using CurrentStatus = std::function<Value()>;

  ControlSocket(EventLoop& loop, Fd listener, Obey obey, CurrentStatus status);
  ~ControlSocket();

  void status_changed();

 private:
  void accept_waiting();
  void admit(Fd fd);

  EventLoop& loop_;
  Fd listener_;
  Obey obey_;
  CurrentStatus status_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace dt::shim
