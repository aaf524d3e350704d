#include "shim/connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "formats/json.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

constexpr std::size_t read_bytes = 65536;
constexpr std::size_t turn_bytes = 1 << 20;  // of one connection before others get their turn
constexpr std::size_t drain_bytes = 16 << 20;
constexpr std::size_t max_output_bytes = 4 << 20;

Status bind_to(int fd, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  VERIFY(path.size() < sizeof address.sun_path, "socket path too long: ", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return {};
  return file_error(cat("cannot bind socket ", path), errno);
}

}  // namespace

Connection::Connection(EventLoop& loop, Fd fd, OnLine on_line, OnClosed on_closed)
    : loop_(loop),
      fd_(std::move(fd)),
      on_line_(std::move(on_line)),
      on_closed_(std::move(on_closed)) {
  loop_.watch(
      fd_.get(), [this] { read_some(); }, [this] { write_some(); });
}

Connection::~Connection() {
  if (fd_.is_open()) loop_.unwatch(fd_.get());
}

void Connection::send(const Value& message) {
  if (!fd_.is_open()) return;
  output_ += to_json(message) + "\n";
  write_some();
}

void Connection::write_some() {
  while (fd_.is_open() && !output_.empty()) {
    const auto written = ::send(fd_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) break;
    // What the peer sent before it went may still be there: reading finds the end.
    if (written < 0) {
      output_.clear();
      break;
    }
    output_.erase(0, static_cast<std::size_t>(written));
  }
  if (output_.size() > max_output_bytes) return close();
  update_interest();
}

void Connection::close() {
  if (!fd_.is_open()) return;
  loop_.unwatch(fd_.get());
  fd_.reset();
  input_.clear();
  handed_out_ = 0;
  loop_.post(on_closed_);
}

void Connection::set_reading(bool reading) {
  reading_ = reading;
  update_interest();
}

void Connection::update_interest() {
  if (fd_.is_open()) loop_.set_interest(fd_.get(), reading_ && !held_, !output_.empty());
}

void Connection::hold() {
  held_ = true;
  update_interest();
}

void Connection::release() {
  held_ = false;
  hand_out_lines();
  update_interest();
}

void Connection::read_some() {
  std::size_t left = turn_bytes;
  while (fd_.is_open() && !held_ && reading_ && left > 0 && read_once()) {
    hand_out_lines();
    left -= std::min(left, read_bytes);
  }
}

void Connection::drain() {
  std::size_t left = drain_bytes;
  while (fd_.is_open() && left > 0 && read_once()) left -= std::min(left, read_bytes);
  hand_out_lines();
}

bool Connection::read_once() {
  const std::size_t before = input_.size();
  input_.resize(before + read_bytes);
  const auto got = ::recv(fd_.get(), input_.data() + before, read_bytes, 0);
  const int error = errno;
  input_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got > 0) return true;
  if (got < 0 && error == EINTR) return true;
  if (got < 0 && error == EAGAIN) return false;
  hand_out_lines();
  if (!held_) close();
  return false;
}

void Connection::hand_out_lines() {
  if (handing_out_) return;  // a line's handler released the next
  handing_out_ = true;
  while (!held_) {
    const std::size_t newline = input_.find('\n', handed_out_);
    if (newline == input_.npos) break;
    const std::string line = input_.substr(handed_out_, newline - handed_out_);
    handed_out_ = newline + 1;
    take_line(line);
  }
  handing_out_ = false;
  input_.erase(0, handed_out_);
  handed_out_ = 0;
  if (held_ || input_.size() <= max_line_bytes) return;
  if (!skipping_) refuse_long_line();
  skipping_ = true;
  input_.clear();
}

void Connection::take_line(std::string_view line) {
  if (std::exchange(skipping_, false)) return;  // the rest of one that was refused
  if (line.size() > max_line_bytes) return refuse_long_line();
  on_line_(line);
}

void Connection::refuse_long_line() {
  send(Value::Object{{"type", "error"},
                     {"code", "line_too_long"},
                     {"message", cat("a line is over ", max_line_bytes, " bytes")}});
}

Result<Fd> listen_at(const std::string& path) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open()) return file_error("cannot create a socket", errno);
  ::unlink(path.c_str());
  if (path.size() <= max_socket_path_bytes) {
    TRY(bind_to(fd.get(), path));
  } else {
    const std::filesystem::path split(path);
    const Fd folder(::open(split.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) {
      return file_error(cat("cannot open ", split.parent_path().string()), errno);
    }
    TRY(bind_to(fd.get(), cat("/proc/self/fd/", folder.get(), "/", split.filename().string())));
  }
  if (::listen(fd.get(), 128) != 0) return file_error(cat("cannot listen at ", path), errno);
  return fd;
}

Fd accept_from(int listener) {
  while (true) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 || (errno != EINTR && errno != ECONNABORTED)) return Fd(fd);
  }
}

Peer peer_of(int connection) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return {.pid = 0, .uid = static_cast<uid_t>(-1)};
  }
  return {.pid = credentials.pid, .uid = credentials.uid};
}

}  // namespace dt::shim
