#include "trial/rank/rank_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "formats/json.h"

namespace dt::trial {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t max_line_bytes = 1 << 20;
constexpr std::size_t max_unacknowledged_bytes = 64u << 20;
constexpr milliseconds first_retry{20};
constexpr milliseconds last_retry{1'000};

struct Pending {
  std::int64_t seq = 0;
  std::string line;
};

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    return -1;
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

std::int64_t integer_of(const Value& value) { return value.is_int() ? value.as_int() : 0; }
std::string text_of(const Value& value) { return value.is_string() ? value.as_string() : ""; }

}  // namespace

class RankSocket::Worker {
 public:
  explicit Worker(const RankSocketOptions& options)
      : options_(options), wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    thread_ = std::thread([this] { run(); });
  }

  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake();
    thread_.join();
    close_connection();
    ::close(wake_fd_);
  }

  Status wait_welcome() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, options_.welcome_timeout, [&] { return welcomed_ || !refusal_.ok(); });
    if (!refusal_.ok()) return refusal_;
    if (welcomed_) return {};
    return unavailable("the shim's socket ", options_.path, " gave no welcome within ",
                       options_.welcome_timeout.count() / 1000, " s");
  }

  Status send(Value message) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queued_bytes_ < max_unacknowledged_bytes || ending_; });
    message.set("seq", next_seq_);
    std::string line = to_json(message) + "\n";
    if (line.size() > max_line_bytes) {
      return resource_exhausted("a message of ", line.size(), " bytes is over the limit of ",
                                max_line_bytes, ": ", line.substr(0, 80), "…");
    }
    queued_bytes_ += line.size();
    queue_.push_back({next_seq_++, std::move(line)});
    lock.unlock();
    wake();
    return {};
  }

  std::int64_t drain(milliseconds limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] { return queue_.empty(); });
    return static_cast<std::int64_t>(queue_.size());
  }

  bool preempt_asked() const { return preempt_asked_; }
  bool stop_asked() const { return stop_asked_; }

 private:
  void wake() {
    const std::uint64_t one = 1;
    // The counter can only be full when a wake-up is pending anyhow.
    [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
  }

  void run() {
    while (!is_ending()) {
      if (fd_ < 0 && !reconnect()) continue;
      exchange();
    }
  }

  bool is_ending() {
    const std::lock_guard lock(mutex_);
    return ending_;
  }

  bool reconnect() {
    fd_ = connect_to(options_.path);
    if (fd_ < 0) {
      pause(retry_);
      retry_ = std::min(retry_ * 2, last_retry);
      return false;
    }
    retry_ = first_retry;
    input_.clear();
    output_ = hello();
    const std::lock_guard lock(mutex_);
    sent_ = 0;
    may_send_ = false;
    return true;
  }

  std::string hello() const {
    Value message;
    message.set("type", "hello").set("protocol", 1).set("rank", options_.rank);
    message.set("token", options_.token).set("pid", static_cast<int>(::getpid()));
    if (options_.start_step) message.set("start_step", *options_.start_step);
    if (!options_.software.is_null()) message.set("software", options_.software);
    return to_json(message) + "\n";
  }

  // One turn: what can be written is written, what can be read is handled.
  void exchange() {
    take_from_queue();
    if (!write_some()) return lose_connection();
    const short wanted = static_cast<short>(POLLIN | (output_.empty() ? 0 : POLLOUT));
    pollfd polled[] = {{fd_, wanted, 0}, {wake_fd_, POLLIN, 0}};
    if (::poll(polled, 2, -1) < 0) return;
    if (polled[1].revents) clear_wake();
    if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) && !read_some()) lose_connection();
  }

  void take_from_queue() {
    const std::lock_guard lock(mutex_);
    if (!may_send_) return;
    while (sent_ < queue_.size() && output_.size() < max_line_bytes) {
      output_ += queue_[sent_++].line;
    }
  }

  bool write_some() {
    while (!output_.empty()) {
      const auto written = ::send(fd_, output_.data(), output_.size(), MSG_NOSIGNAL);
      if (written < 0) return errno == EAGAIN || errno == EINTR;
      output_.erase(0, static_cast<std::size_t>(written));
    }
    return true;
  }

  bool read_some() {
    char buffer[4096];
    const auto got = ::recv(fd_, buffer, sizeof buffer, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    input_.append(buffer, static_cast<std::size_t>(got));
    std::size_t newline;
    while ((newline = input_.find('\n')) != std::string::npos) {
      const auto message = parse_json(input_.substr(0, newline));
      input_.erase(0, newline + 1);
      if (message.ok()) handle(*message);
    }
    return input_.size() <= max_line_bytes;
  }

  void handle(const Value& message) {
    const std::string type = text_of(message["type"]);
    if (type == "welcome") {
      acknowledged(integer_of(message["last_seq"]));
      const std::lock_guard lock(mutex_);
      welcomed_ = may_send_ = true;
      changed_.notify_all();
    } else if (type == "ack") {
      acknowledged(integer_of(message["seq"]));
    } else if (type == "preempt") {
      preempt_asked_ = true;
    } else if (type == "stop") {
      stop_asked_ = true;
    } else if (type == "error") {
      refused(text_of(message["code"]), text_of(message["message"]), integer_of(message["seq"]));
    }
  }

  // Cumulative: everything up to this number is safe.
  void acknowledged(std::int64_t seq) {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && queue_.front().seq <= seq) {
      queued_bytes_ -= queue_.front().line.size();
      queue_.pop_front();
      if (sent_ > 0) --sent_;
    }
    changed_.notify_all();
  }

  // Of hello: the end. Of one message: it will never be acknowledged, so it is not sent again.
  void refused(const std::string& code, const std::string& message, std::int64_t seq) {
    std::fprintf(stderr, "dovetail: rank %d: the shim answered %s: %s\n", options_.rank,
                 code.c_str(), message.c_str());
    const std::lock_guard lock(mutex_);
    if (!welcomed_) {
      refusal_ = permission_denied("the shim refused rank ", options_.rank, ": ", message, " (",
                                   code, ")");
    }
    const auto found = std::find_if(queue_.begin(), queue_.end(),
                                    [&](const Pending& pending) { return pending.seq == seq; });
    if (found != queue_.end()) {
      if (static_cast<std::size_t>(found - queue_.begin()) < sent_) --sent_;
      queued_bytes_ -= found->line.size();
      queue_.erase(found);
    }
    changed_.notify_all();
  }

  void lose_connection() {
    close_connection();
    pause(retry_);
  }

  void close_connection() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  // Lets the time pass, unless the end comes first.
  void pause(milliseconds limit) {
    pollfd polled = {wake_fd_, POLLIN, 0};
    const auto until = SteadyClock::now() + limit;
    while (!is_ending()) {
      const auto left = std::chrono::ceil<milliseconds>(until - SteadyClock::now());
      if (left.count() <= 0 || ::poll(&polled, 1, static_cast<int>(left.count())) == 0) return;
      clear_wake();
    }
  }

  void clear_wake() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_fd_, &count, sizeof count);
  }

  const RankSocketOptions options_;
  const int wake_fd_;
  std::thread thread_;
  std::atomic<bool> preempt_asked_{false};
  std::atomic<bool> stop_asked_{false};

  // The thread's own.
  int fd_ = -1;
  std::string input_;
  std::string output_;
  milliseconds retry_ = first_retry;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Pending> queue_;  // sent or not, but not acknowledged
  std::size_t sent_ = 0;       // how many of them went out on this connection
  std::size_t queued_bytes_ = 0;
  std::int64_t next_seq_ = 1;
  bool may_send_ = false;  // this connection was welcomed
  bool welcomed_ = false;  // some connection was
  bool ending_ = false;
  Status refusal_;
};

Result<std::unique_ptr<RankSocket>> RankSocket::open(const RankSocketOptions& options) {
  sockaddr_un address{};
  if (options.path.size() >= sizeof address.sun_path) {
    return invalid_argument("DT_SOCKET='", options.path, "' is longer than a socket path may be");
  }
  auto worker = std::make_unique<Worker>(options);
  TRY(worker->wait_welcome());
  return std::unique_ptr<RankSocket>(new RankSocket(std::move(worker)));
}

RankSocket::RankSocket(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}
RankSocket::~RankSocket() = default;
Status RankSocket::send(Value message) { return worker_->send(std::move(message)); }
bool RankSocket::preempt_asked() const { return worker_->preempt_asked(); }
bool RankSocket::stop_asked() const { return worker_->stop_asked(); }
std::int64_t RankSocket::drain(milliseconds limit) { return worker_->drain(limit); }

}  // namespace dt::trial
