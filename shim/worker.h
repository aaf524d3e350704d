// A thread for what a slow disk may hold up: jobs run in it one after another, and what a job
// returns runs in the loop's thread afterwards. So the loop keeps its deadlines while a disk hangs.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "shim/event_loop.h"

namespace dt::shim {

class Worker {
 public:
  using Done = std::function<void()>;
  using Job = std::function<Done()>;

  explicit Worker(EventLoop& loop);
  ~Worker();  // jobs that wait are run first; their Done is not called
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run(Job job);

 private:
  void work();
  void deliver();

  EventLoop& loop_;
  Fd wake_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::deque<Done> done_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace dt::shim
