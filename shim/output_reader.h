// Reads one pipe of a program into lines, until its end; a flood at the pace of its budget.
#pragma once

#include "base/fd.h"
#include "shim/event_loop.h"
#include "shim/line_splitter.h"
#include "shim/output_budget.h"

namespace dt::shim {

class OutputReader {
 public:
  static constexpr std::int64_t bytes_per_second = 4 << 20;

  OutputReader(EventLoop& loop, Fd fd, LineSplitter::OnLine on_line,
               std::int64_t rate = bytes_per_second);
  ~OutputReader();
  OutputReader(const OutputReader&) = delete;
  OutputReader& operator=(const OutputReader&) = delete;

  void set_reading(bool reading);
  // The program is gone: takes what is there, at most 4 MiB (a daemon may hold the pipe open and
  // print on), and closes.
  void finish();

 private:
  bool read_once();  // false: nothing there now, or the end
  void rest_if_spent();
  void update_interest();
  void close();

  EventLoop& loop_;
  Fd fd_;
  LineSplitter::OnLine on_line_;  // counts, and hands on
  LineSplitter splitter_;
  OutputBudget budget_;
  std::int64_t unpaid_ = 0;
  bool reading_ = true;          // as the owner wants it
  EventLoop::TimerId rest_ = 0;  // until then nothing is read; 0: none
};

}  // namespace dt::shim
