#include "fake_shim.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/cat.h"
#include "base/verify.h"
#include "formats/json.h"

namespace dt::trial {
namespace {

void send_line(int fd, const std::string& line) {
  const std::string text = line + "\n";
  [[maybe_unused]] const auto sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

FakeShim::FakeShim(const std::string& path, Script script, std::string token)
    : path_(path), script_(std::move(script)), token_(std::move(token)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  VERIFY(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  listen_fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  end_fd_ = ::eventfd(0, EFD_CLOEXEC);
  VERIFY(::bind(listen_fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  VERIFY(::listen(listen_fd_, 16) == 0);
  thread_ = std::thread([this] { run(); });
}

FakeShim::~FakeShim() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(end_fd_, &one, sizeof one);
  thread_.join();
  for (const Connection& connection : connections_) ::close(connection.fd);
  ::close(listen_fd_);
  ::close(end_fd_);
}

std::map<std::string, std::string> FakeShim::variables() const {
  return {{"DT_SOCKET", path_}, {"DT_TOKEN", "token"}, {"DT_ALLOCATION_ID", "1.1"}};
}

std::vector<FakeShim::Said> FakeShim::said() const {
  const std::lock_guard lock(mutex_);
  return said_;
}

std::vector<FakeShim::Said> FakeShim::of(int rank, const std::string& type) const {
  std::vector<Said> out;
  for (const Said& said : said()) {
    if (said.rank == rank && said.message["type"] == Value(type)) out.push_back(said);
  }
  return out;
}

int FakeShim::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

int FakeShim::repeats() const {
  const std::lock_guard lock(mutex_);
  return repeats_;
}

void FakeShim::run() {
  while (true) {
    std::vector<pollfd> polled = {{end_fd_, POLLIN, 0}, {listen_fd_, POLLIN, 0}};
    for (const Connection& connection : connections_) polled.push_back({connection.fd, POLLIN, 0});
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents) return;
    for (std::size_t i = connections_.size(); i-- > 0;) {
      if (!polled[i + 2].revents || read_some(connections_[i])) continue;
      ::close(connections_[i].fd);
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (polled[1].revents) accept_one();
  }
}

void FakeShim::accept_one() {
  connections_.push_back({::accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC), -1, ""});
  const std::lock_guard lock(mutex_);
  ++accepted_;
}

bool FakeShim::read_some(Connection& connection) {
  char buffer[65536];
  const auto got = ::recv(connection.fd, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  connection.input.append(buffer, static_cast<std::size_t>(got));
  std::size_t newline;
  while ((newline = connection.input.find('\n')) != std::string::npos) {
    const auto message = parse_json(connection.input.substr(0, newline));
    connection.input.erase(0, newline + 1);
    VERIFY(message.ok(), message.status().text());
    if (!handle(connection, *message)) return false;
  }
  return true;
}

bool FakeShim::welcome(Connection& connection, const Value& hello) {
  if (hello["token"] != Value(token_)) {
    send_line(connection.fd,
              R"({"type":"error","code":"unauthenticated","message":"wrong token"})");
    return false;
  }
  connection.rank = static_cast<int>(hello["rank"].as_int());
  const std::lock_guard lock(mutex_);
  send_line(connection.fd, cat(R"({"type":"welcome","protocol":1,"features":[],"last_seq":)",
                               last_seq_[connection.rank], "}"));
  return true;
}

bool FakeShim::handle(Connection& connection, const Value& message) {
  if (message["type"] == Value("hello")) return welcome(connection, message);
  const std::int64_t seq = message["seq"].as_int();
  const auto answers = script_ ? script_(connection.rank, message) : std::vector<std::string>();
  if (contains(answers, "close")) return false;
  {
    const std::lock_guard lock(mutex_);
    std::int64_t& last = last_seq_[connection.rank];
    if (seq <= last) ++repeats_;
    if (seq > last) said_.push_back({connection.rank, message});
    last = std::max(last, seq);
  }
  if (contains(answers, "no ack")) return true;
  const bool is_silent = contains(answers, "no ack after");
  for (const std::string& answer : answers) {
    if (answer[0] == '{') send_line(connection.fd, answer);
  }
  if (is_silent) return true;
  send_line(connection.fd, cat(R"({"type":"ack","seq":)", seq, "}"));
  return true;
}

}  // namespace dt::trial
