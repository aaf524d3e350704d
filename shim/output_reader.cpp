#include "shim/output_reader.h"

#include <cerrno>

namespace dt::shim {
namespace {
constexpr std::size_t read_bytes = 65536;
constexpr int finish_reads = 64;
}  // namespace

OutputReader::OutputReader(EventLoop& loop, Fd fd, LineSplitter::OnLine on_line)
    : loop_(loop), fd_(std::move(fd)), on_line_(std::move(on_line)) {
  loop_.watch(fd_.get(), [this] { read_once(); });
}

OutputReader::~OutputReader() {
  if (fd_.is_open()) loop_.unwatch(fd_.get());
}

void OutputReader::set_reading(bool reading) {
  if (fd_.is_open()) loop_.set_interest(fd_.get(), reading, false);
}

bool OutputReader::read_once() {
  char buffer[read_bytes];
  const auto got = ::read(fd_.get(), buffer, sizeof buffer);
  if (got > 0) {
    splitter_.feed({buffer, static_cast<std::size_t>(got)}, on_line_);
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close();
  return false;
}

void OutputReader::finish() {
  for (int i = 0; i < finish_reads && fd_.is_open() && read_once(); ++i) {
  }
  close();
}

void OutputReader::close() {
  if (!fd_.is_open()) return;
  loop_.unwatch(fd_.get());
  fd_.reset();
  splitter_.finish(on_line_);
}

}  // namespace dt::shim
