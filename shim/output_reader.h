// Reads one pipe of a program into lines, until its end.
#pragma once

#include "shim/event_loop.h"
#include "shim/fd.h"
#include "shim/line_splitter.h"

namespace dt::shim {

class OutputReader {
 public:
  OutputReader(EventLoop& loop, Fd fd, LineSplitter::OnLine on_line);
  ~OutputReader();
  OutputReader(const OutputReader&) = delete;
  OutputReader& operator=(const OutputReader&) = delete;

  void set_reading(bool reading);
  // The program is gone: takes what is there, at most 4 MiB (a daemon may hold the pipe open and
  // print on), and closes.
  void finish();

 private:
  bool read_once();  // false: nothing there now, or the end
  void close();

  EventLoop& loop_;
  Fd fd_;
  LineSplitter::OnLine on_line_;
  LineSplitter splitter_;
};

}  // namespace dt::shim
