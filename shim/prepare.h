// The allocation's `prepare` command: once per node and context hash. The marker says that it was
// done; its lock makes a second allocation on this node wait for the first and then find the
// marker. What the command wrote is on disk before the marker is.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/agent/shim.h"
#include "shim/output_reader.h"
#include "shim/spec.h"
#include "shim/worker.h"

namespace dt::shim {

class Prepare {
 public:
  struct Events {
    std::function<void(const char* output, std::string text)> printed;
    std::function<void(core::shim::PrepareEnded)> ended;
  };

  Prepare(EventLoop& loop, Worker& worker, PrepareSpec spec, Events events);
  ~Prepare();

  void run();
  void abandon();                     // does not begin any more; what runs is the owner's to kill
  pid_t pid() const { return pid_; }  // 0: not running
  void reaped(int code);
  void set_reading(bool reading);

 private:
  void take_lock();
  void start();
  void mark();
  void wait_for_space();
  void end(core::shim::PrepareEnded result);
  void print(const char* output, std::string text);

  EventLoop& loop_;
  Worker& worker_;
  PrepareSpec spec_;
  Events events_;
  Fd lock_;
  EventLoop::TimerId retry_ = 0;
  pid_t pid_ = 0;
  std::unique_ptr<OutputReader> out_;
  std::unique_ptr<OutputReader> err_;
  std::string last_line_;        // for people: why it failed
  bool found_no_space_ = false;  // it said so
  bool abandoned_ = false;
};

}  // namespace dt::shim
