// Appends records to the spool and says when they are on disk. Group commit: records gather for at
// most 20 ms, then one write and one fdatasync in a thread of its own takes them all. While the
// disk refuses (full, broken) the same bytes are tried again each second; nothing is given up, and
// the owner holds its sources back by waiting_bytes(). One thread, that of the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "core/agent/record.h"
#include "shim/event_loop.h"
#include "shim/worker.h"

namespace dt::shim {

class SpoolWriter {
 public:
  struct Events {
    std::function<void(std::int64_t appended)> synced;         // so many records are on disk
    std::function<void(const std::string& problem)> troubled;  // the first refusal
    std::function<void()> recovered;
  };

  // Fails if the file exists: an earlier shim's spool is never continued.
  static Result<std::unique_ptr<SpoolWriter>> create(EventLoop& loop, const std::string& path);
  void on(Events events) { events_ = std::move(events); }

  void append(const core::Record& record);
  void sync();
  std::size_t waiting_bytes() const;
  std::int64_t synced_bytes() const { return offset_; }

 private:
  SpoolWriter(EventLoop& loop, std::string path, Fd fd);
  void commit();
  void submit();
  void written(const Status& result);

  EventLoop& loop_;
  const std::string path_;
  Fd fd_;
  Events events_;
  std::string waiting_;
  std::int64_t appended_ = 0;
  std::shared_ptr<const std::string> flying_;  // shared with the job that writes it
  std::int64_t flying_appended_ = 0;
  std::int64_t offset_ = 0;  // everything below is on disk
  bool commit_due_ = false;
  bool in_trouble_ = false;
  Worker worker_;  // last: its jobs use the members above
};

}  // namespace dt::shim
