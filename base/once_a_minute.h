// Holds back a complaint that was made less than a minute ago. Any thread.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace dt {

class OncePerMinute {
 public:
  bool is_due(const std::string& complaint) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const auto [found, is_new] = last_.try_emplace(complaint, now);
    if (is_new) return true;
    if (now - found->second < std::chrono::minutes(1)) return false;
    found->second = now;
    return true;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    last_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> last_;  // guarded by mutex_
};

}  // namespace dt
