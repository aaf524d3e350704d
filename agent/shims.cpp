#include "agent/shims.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "agent/clock.h"
#include "agent/files.h"
#include "base/overload.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

constexpr Duration retry{20};  // of a shim that does not listen yet, or is just ending
constexpr int idle_ms = 60'000;

// Through the folder's descriptor, so that a deep data folder does not outgrow a socket's address.
Fd connect_to(const std::string& folder) {
  const Fd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!at.is_open() || !socket.is_open()) return Fd();
  const std::string path = cat("/proc/self/fd/", at.get(), "/control.sock");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return Fd();
  }
  return socket;
}

bool has_ended(const Fd& process) {
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

}  // namespace

bool is_shim_alive(const std::string& folder) {
  const Fd lock(::open((folder + "/lock").c_str(), O_RDWR | O_CLOEXEC));
  return lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

bool read_state(const std::string& folder, core::AllocationStatus& status) {
  const auto text = read_file(folder + "/state.json");
  if (!text.ok()) return false;
  const auto value = parse_json(*text);
  return value.ok() && core::status_from(*value, status);
}

Shims::Shims(std::string allocations, Callbacks callbacks)
    : allocations_(std::move(allocations)),
      callbacks_(std::move(callbacks)),
      wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Shims::~Shims() {
  thread_.request_stop();
  ::eventfd_write(wakeup_.get(), 1);
  thread_.join();
}

void Shims::watch(const AllocationId& id, Fd process) { ask(Watch{id, std::move(process)}); }

void Shims::send(const AllocationId& id, const Value& order) {
  ask(Send{id, to_json(order) + "\n"});
}

void Shims::wake(const AllocationId& id) { ask(Wake{id}); }

void Shims::ask(Request request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  ::eventfd_write(wakeup_.get(), 1);
}

void Shims::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    take_requests();
    for (auto it = watched_.begin(); it != watched_.end();) {
      tend(it->first, it->second);
      it = bury(it->first, it->second) ? watched_.erase(it) : std::next(it);
    }
    wait();
  }
}

void Shims::take_requests() {
  std::deque<Request> requests;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(requests_);
  }
  for (Request& request : requests) {
    std::visit([this](auto& one) { take(one); }, request);
  }
}

void Shims::take(Watch& request) {
  Watched& shim = watched_[request.id];
  shim.folder = cat(allocations_, "/", request.id);
  shim.process = std::move(request.process);
}

void Shims::take(Send& request) {
  const auto found = watched_.find(request.id);
  if (found == watched_.end() || !found->second.socket.is_open()) return;
  found->second.unsent += request.line;
}

// To a process that runs, SIGCONT means nothing.
void Shims::take(Wake& request) {
  const auto found = watched_.find(request.id);
  if (found == watched_.end()) return;
  if (found->second.process.is_open()) {
    ::syscall(SYS_pidfd_send_signal, found->second.process.get(), SIGCONT, nullptr, 0);
    return;
  }
  ucred peer{};  // of a listening socket: who listens
  socklen_t size = sizeof peer;
  const int socket = found->second.socket.get();
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return;
  ::kill(peer.pid, SIGCONT);
}

void Shims::tend(const AllocationId& id, Watched& shim) {
  if (!shim.socket.is_open() && boot_now() >= shim.retry_at) connect(shim);
  if (shim.socket.is_open()) receive(id, shim);
  if (shim.socket.is_open()) flush(shim);
}

void Shims::connect(Watched& shim) {
  shim.socket = connect_to(shim.folder);
  if (!shim.socket.is_open()) shim.retry_at = boot_now() + retry;
}

void Shims::close(Watched& shim) {
  shim.socket = Fd();
  shim.received.clear();
  shim.unsent.clear();
  shim.spoke = false;
  shim.retry_at = boot_now() + retry;
}

void Shims::receive(const AllocationId& id, Watched& shim) {
  std::vector<char> buffer(64 * 1024);
  while (true) {
    const ssize_t got = ::recv(shim.socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) return close(shim);
    shim.received.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = shim.received.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      take_line(id, shim, std::string_view(shim.received).substr(begin, end - begin));
    }
    shim.received.erase(0, begin);
  }
}

void Shims::take_line(const AllocationId& id, Watched& shim, std::string_view line) {
  const auto message = parse_json(line);
  core::AllocationStatus status;
  if (!message.ok() || !core::status_from((*message)["status"], status)) {
    spdlog::error("allocation {}: its shim says: {}", to_text(id), std::string(line));
    return;
  }
  status.allocation = id;
  tell_problem(id, shim, (*message)["status"]["spool_problem"]);
  const Value& spooled = (*message)["spooled"];
  shim.ended = status.phase == core::AllocationPhase::ended;
  callbacks_.said(status, spooled.is_int() ? spooled.as_int() : 0, !shim.spoke);
  shim.spoke = true;
}

// Once when it begins and once when it is over; the shim itself has no log that people look into.
void Shims::tell_problem(const AllocationId& id, Watched& shim, const Value& problem) {
  const std::string now = problem.is_string() ? problem.as_string() : "";
  const std::string before = std::exchange(shim.problem, now);
  if (!now.empty() && before.empty()) spdlog::warn("allocation {}: {}", to_text(id), now);
  if (now.empty() && !before.empty()) {
    spdlog::info("allocation {}: its spool is written again", to_text(id));
  }
}

void Shims::flush(Watched& shim) {
  while (!shim.unsent.empty()) {
    const ssize_t sent =
        ::send(shim.socket.get(), shim.unsent.data(), shim.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) return close(shim);
    shim.unsent.erase(0, static_cast<std::size_t>(sent));
  }
}

bool Shims::lives(const Watched& shim) const {
  if (shim.process.is_open()) return !has_ended(shim.process);
  return is_shim_alive(shim.folder);
}

// True if the shim is gone; then its last word is told.
bool Shims::bury(const AllocationId& id, Watched& shim) {
  if (shim.socket.is_open() || lives(shim)) return false;
  if (shim.ended) return true;
  core::AllocationStatus status;
  if (read_state(shim.folder, status) && status.phase == core::AllocationPhase::ended) {
    status.allocation = id;
    callbacks_.said(status, 0, false);
  } else {
    callbacks_.gone(id);
  }
  return true;
}

void Shims::wait() {
  std::vector<pollfd> polled{{.fd = wakeup_.get(), .events = POLLIN, .revents = 0}};
  Time next = never;
  for (const auto& [id, shim] : watched_) {
    if (!shim.socket.is_open()) {
      next = std::min(next, shim.retry_at);
      continue;
    }
    const short events = shim.unsent.empty() ? POLLIN : POLLIN | POLLOUT;
    polled.push_back({.fd = shim.socket.get(), .events = events, .revents = 0});
  }
  const Duration left = next == never ? Duration(idle_ms) : next - boot_now();
  const auto timeout = std::clamp<std::int64_t>(left.count(), 0, idle_ms);
  ::poll(polled.data(), polled.size(), static_cast<int>(timeout));
  eventfd_t count = 0;
  ::eventfd_read(wakeup_.get(), &count);
}

}  // namespace dt::agent
