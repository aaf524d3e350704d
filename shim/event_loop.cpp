#include "shim/event_loop.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "shim/files.h"

namespace dt::shim {

Result<std::unique_ptr<EventLoop>> EventLoop::create() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return file_error("cannot create an epoll descriptor", errno);
  Fd timer(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.is_open()) return file_error("cannot create a timer", errno);
  return std::unique_ptr<EventLoop>(new EventLoop(std::move(epoll), std::move(timer)));
}

EventLoop::EventLoop(Fd epoll, Fd timer) : epoll_(std::move(epoll)), timer_(std::move(timer)) {
  watch(timer_.get(), [this] {
    std::uint64_t count = 0;
    // Nothing to read means that it was re-armed meanwhile.
    [[maybe_unused]] const auto got = ::read(timer_.get(), &count, sizeof count);
  });
}

Time EventLoop::now() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return from_ms(std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000);
}

void EventLoop::watch(int fd, Handler readable, Handler writable) {
  auto watch = std::make_shared<Watch>();
  watch->readable = std::move(readable);
  watch->writable = std::move(writable);
  watches_[fd] = watch;
  apply(fd, *watch);
}

void EventLoop::set_interest(int fd, bool reads, bool writes) {
  const auto found = watches_.find(fd);
  VERIFY(found != watches_.end(), "descriptor ", fd, " is not watched");
  Watch& watch = *found->second;
  if (watch.reads == reads && watch.writes == writes) return;
  watch.reads = reads;
  watch.writes = writes;
  apply(fd, watch);
}

void EventLoop::apply(int fd, Watch& watch) {
  // Without any interest epoll would still report a hang-up, over and over: take it out.
  const bool wanted = watch.reads || watch.writes;
  epoll_event event{};
  event.events = (watch.reads ? EPOLLIN : 0u) | (watch.writes ? EPOLLOUT : 0u);
  event.data.fd = fd;
  const int operation = !wanted ? EPOLL_CTL_DEL : watch.added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (!wanted && !watch.added) return;
  VERIFY(::epoll_ctl(epoll_.get(), operation, fd, &event) == 0, "epoll refuses ", fd, ": errno ",
         errno);
  watch.added = wanted;
}

void EventLoop::unwatch(int fd) {
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  if (found->second->added) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watches_.erase(found);
}

EventLoop::TimerId EventLoop::at(Time time, Handler handler) {
  const TimerId id = next_timer_++;
  timers_.emplace(std::pair(time, id), std::move(handler));
  return id;
}

void EventLoop::cancel(TimerId timer) {
  std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
}

void EventLoop::post(Handler handler) { posted_.push_back(std::move(handler)); }

void EventLoop::stop() { stopped_ = true; }

void EventLoop::run() {
  std::array<epoll_event, 64> events;
  while (!stopped_) {
    run_posted();
    run_timers();
    if (stopped_) return;
    if (!posted_.empty()) continue;
    arm_timer();
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      dispatch(events[static_cast<std::size_t>(i)].data.fd,
               events[static_cast<std::size_t>(i)].events);
    }
  }
}

void EventLoop::dispatch(int fd, std::uint32_t events) {
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;  // an earlier handler of this round removed it
  const auto watch = found->second;
  const bool broken = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (watch->reads && watch->readable && (broken || (events & EPOLLIN))) watch->readable();
  const auto again = watches_.find(fd);
  if (again == watches_.end() || again->second != watch) return;
  if (watch->writes && watch->writable && (broken || (events & EPOLLOUT))) watch->writable();
}

void EventLoop::run_posted() {
  const auto now_posted = std::exchange(posted_, {});
  for (const Handler& handler : now_posted) handler();
}

void EventLoop::run_timers() {
  while (!stopped_ && !timers_.empty() && timers_.begin()->first.first <= now()) {
    const Handler handler = std::move(timers_.extract(timers_.begin()).mapped());
    handler();
  }
}

void EventLoop::arm_timer() {
  itimerspec when{};
  if (!timers_.empty() && timers_.begin()->first.first != never) {
    // A time of zero would disarm it.
    const std::int64_t ms = std::max<std::int64_t>(1, to_ms(timers_.begin()->first.first));
    when.it_value.tv_sec = ms / 1000;
    when.it_value.tv_nsec = (ms % 1000) * 1'000'000;
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace dt::shim
