// Turns what a program prints into lines of log: splits at newlines, lets a carriage return
// overwrite the line so far (progress bars), cuts lines over 64 KiB into marked pieces, and
// replaces what is not UTF-8. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dt::shim {

class LineSplitter {
 public:
  using OnLine = std::function<void(std::string text)>;
  static constexpr std::size_t max_line_bytes = 65536;
  static constexpr std::string_view cut_mark = " …(continues)";

  void feed(std::string_view bytes, const OnLine& on_line);
  void finish(const OnLine& on_line);  // what is left without a newline

 private:
  void add(std::string_view piece, const OnLine& on_line);

  std::string line_;
  bool returned_ = false;  // the last byte was a carriage return
};

}  // namespace dt::shim
