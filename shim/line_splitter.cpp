#include "shim/line_splitter.h"

#include "base/cat.h"
#include "formats/utf8.h"

namespace dt::shim {
namespace {

// How much of an overlong line may go without splitting a character.
std::size_t cut_at(std::string_view line, std::size_t limit) {
  std::size_t cut = limit;
  for (int back = 0; back < 3 && cut > 0; ++back, --cut) {
    const bool inside = (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80;
    if (!inside) return cut;
  }
  return (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80 ? limit : cut;
}

}  // namespace

void LineSplitter::feed(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    if (returned_ && bytes.front() != '\n' && bytes.front() != '\r') line_.clear();
    const std::size_t end = bytes.find_first_of("\r\n");
    if (end != 0) returned_ = false;
    add(bytes.substr(0, end), on_line);
    if (end == bytes.npos) return;
    returned_ = bytes[end] == '\r';
    if (!returned_) {
      on_line(with_valid_utf8(line_));
      line_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::add(std::string_view piece, const OnLine& on_line) {
  line_.append(piece);
  while (line_.size() > max_line_bytes) {
    const std::size_t cut = cut_at(line_, max_line_bytes);
    on_line(cat(with_valid_utf8(std::string_view(line_).substr(0, cut)), cut_mark));
    line_.erase(0, cut);
  }
}

void LineSplitter::finish(const OnLine& on_line) {
  if (!line_.empty()) on_line(with_valid_utf8(line_));
  line_.clear();
  returned_ = false;
}

}  // namespace dt::shim
