#include "shim/worker.h"

#include <sys/eventfd.h>

namespace dt::shim {

Worker::Worker(EventLoop& loop) : loop_(loop), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  VERIFY(wake_.is_open(), "no eventfd");
  loop_.watch(wake_.get(), [this] { deliver(); });
  thread_ = std::thread([this] { work(); });
}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  loop_.unwatch(wake_.get());
}

void Worker::run(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Done done = job();
    lock.lock();
    done_.push_back(std::move(done));
    const std::uint64_t one = 1;
    // A full counter means that a wake-up is pending anyhow.
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  }
}

void Worker::deliver() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
  std::deque<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const Done& one : done) {
    if (one) one();
  }
}

}  // namespace dt::shim
