// What the master itself logged, the last 10,000 lines in memory: for `dtctl master logs`, where
// nobody can look at the machine. Any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "base/time.h"

namespace spdlog::sinks {
class sink;
}

namespace dt::master {

struct OwnLogLine {
  std::int64_t time_ms = 0;
  std::string level;
  std::string text;
};
using NumberedLogLine = std::pair<std::int64_t, OwnLogLine>;

class OwnLog {
 public:
  static OwnLog& instance();  // a process has one log

  void add(OwnLogLine line);
  // From a number on, or with start -1 the last `limit` (-1: all).
  std::vector<NumberedLogLine> read(std::int64_t start, std::int64_t limit) const;
  // Waits until there is a line with this number, or the timeout.
  void wait_for(std::int64_t number, Duration timeout) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable grew_;
  Ring<OwnLogLine> lines_{10'000};  // guarded by mutex_
};

// Feeds OwnLog::instance(); for a logger of spdlog.
std::shared_ptr<spdlog::sinks::sink> own_log_sink();

}  // namespace dt::master
