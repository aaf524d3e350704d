#include "master/own_log.h"

#include <spdlog/sinks/base_sink.h>

namespace dt::master {
namespace {

class OwnLogSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto since_epoch = message.time.time_since_epoch();
    const auto level = spdlog::level::to_string_view(message.level);
    OwnLog::instance().add(
        {.time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count(),
         .level = {level.data(), level.size()},
         .text = {message.payload.data(), message.payload.size()}});
  }
  void flush_() override {}
};

}  // namespace

OwnLog& OwnLog::instance() {
  static OwnLog log;
  return log;
}

void OwnLog::add(OwnLogLine line) {
  const std::lock_guard lock(mutex_);
  lines_.push(std::move(line));
  grew_.notify_all();
}

std::vector<NumberedLogLine> OwnLog::read(std::int64_t start, std::int64_t limit) const {
  const std::lock_guard lock(mutex_);
  return lines_.read(start, limit);
}

void OwnLog::wait_for(std::int64_t number, Duration timeout) const {
  std::unique_lock lock(mutex_);
  grew_.wait_for(lock, timeout, [&] { return lines_.end() > number; });
}

std::shared_ptr<spdlog::sinks::sink> own_log_sink() { return std::make_shared<OwnLogSink>(); }

}  // namespace dt::master
