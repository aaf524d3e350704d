#include "agent/workers.h"

namespace dt::agent {

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // joins
}

void Workers::run(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();
}

void Workers::work(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
    if (stop.stop_requested()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(stop);
  }
}

}  // namespace dt::agent
