// Holds back a complaint that was made less than a minute ago. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "agent/clock.h"

namespace dt::agent {

class OncePerMinute {
 public:
  bool is_due(const std::string& complaint) {
    const std::lock_guard lock(mutex_);
    const Time now = boot_now();
    const auto [found, is_new] = last_.try_emplace(complaint, now);
    if (is_new) return true;
    if (now - found->second < Duration(60'000)) return false;
    found->second = now;
    return true;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    last_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Time> last_;  // guarded by mutex_
};

}  // namespace dt::agent
