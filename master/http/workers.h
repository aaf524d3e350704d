// Threads for requests that may block: one each, and not more at a time than the limit.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace dt::master {

class Workers {
 public:
  explicit Workers(int limit) : limit_(limit) {}
  ~Workers() { wait_all(); }

  // False: all are busy.
  bool run(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (running_ >= limit_) return false;
    ++running_;
    std::thread([this, work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it holds goes before it counts as done
      count_done();
    }).detach();
    return true;
  }

  void wait_all() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void count_done() {
    const std::lock_guard lock(mutex_);
    --running_;
    done_.notify_all();
  }

  const int limit_;
  std::mutex mutex_;
  std::condition_variable done_;
  int running_ = 0;  // guarded by mutex_
};

}  // namespace dt::master
