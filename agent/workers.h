// Threads for what may block: fetching, uploading, sending. Jobs run in the order they came; the
// destructor asks the running ones to stop and drops those that did not begin.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace dt::agent {

class Workers {
 public:
  using Job = std::function<void(const std::stop_token&)>;

  explicit Workers(int threads);
  ~Workers();

  void run(Job job);

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;  // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace dt::agent
