#include "master/port_check.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace dt::master {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// errno of binding and listening; 0: it is free.
int try_to_listen(const addrinfo& at) {
  const int fd = ::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;  // no such network here
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool is_free = ::bind(fd, at.ai_addr, at.ai_addrlen) == 0 && ::listen(fd, 1) == 0;
  const int error = is_free ? 0 : errno;
  ::close(fd);
  return error;
}

}  // namespace

Status check_free(const std::string& what, const std::string& address, const std::string& option) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  std::string host = address.substr(0, colon);
  const std::string port = address.substr(colon + 1);
  if (port == "0") return {};
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(list);
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    const int error = try_to_listen(*at);
    if (error == 0) continue;
    const std::string hint =
        error == EADDRINUSE
            ? cat("is another master running? end it, or choose another port with ", option)
            : cat("choose another address with ", option);
    return unavailable(what, " cannot listen on ", address, ": ", std::strerror(error))
        .with_hint(hint);
  }
  return {};
}

}  // namespace dt::master
