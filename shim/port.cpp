#include "shim/port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "shim/files.h"

namespace dt::shim {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address parse(const std::string& text) {
  Address address;
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    address.size = sizeof *v6;
    return address;
  }
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) != 1) v4->sin_addr.s_addr = INADDR_ANY;
  v4->sin_family = AF_INET;
  address.size = sizeof *v4;
  return address;
}

int port_of(int socket) {
  Address address;
  address.size = sizeof address.storage;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return address.storage.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port)
             : ntohs(reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port);
}

}  // namespace

Result<HeldPort> hold_port(const std::string& text) {
  const Address address = parse(text);
  HeldPort held{Fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  if (!held.socket.is_open()) return file_error("cannot create a socket", errno);
  const int yes = 1;
  ::setsockopt(held.socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::bind(held.socket.get(), generic, address.size) != 0) {
    return file_error(cat("cannot bind a port at ", text), errno);
  }
  held.port = port_of(held.socket.get());
  return held;
}

}  // namespace dt::shim
