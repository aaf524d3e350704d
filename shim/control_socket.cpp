#include "shim/control_socket.h"

#include <unistd.h>

namespace dt::shim {

ControlSocket::ControlSocket(EventLoop& loop, Fd listener, Obey obey, CurrentStatus status)
    : loop_(loop),
      listener_(std::move(listener)),
      obey_(std::move(obey)),
      status_(std::move(status)) {
  loop_.watch(listener_.get(), [this] { accept_waiting(); });
}

ControlSocket::~ControlSocket() { loop_.unwatch(listener_.get()); }

void ControlSocket::accept_waiting() {
  while (true) {
    Fd fd = accept_from(listener_.get());
    if (!fd.is_open()) return;
    const uid_t uid = peer_of(fd.get()).uid;
    if (uid == 0 || uid == ::geteuid()) admit(std::move(fd));
  }
}

void ControlSocket::admit(Fd fd) {
  connection_ = std::make_unique<Connection>(
      loop_, std::move(fd),
      [this](std::string_view line) {
        const Status obeyed = obey_(line);
        if (obeyed.ok()) return;
        connection_->send(Value::Object{{"op", "error"}, {"message", obeyed.text()}});
      },
      [] {});
  status_changed();
}

void ControlSocket::status_changed() {
  if (connection_) connection_->send(status_());
}

}  // namespace dt::shim
