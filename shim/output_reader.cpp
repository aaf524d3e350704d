#include "shim/output_reader.h"

#include <cerrno>
#include <utility>

namespace dt::shim {
namespace {
constexpr std::size_t read_bytes = 65536;
constexpr int finish_reads = 64;
}  // namespace

OutputReader::OutputReader(EventLoop& loop, Fd fd, LineSplitter::OnLine on_line, std::int64_t rate)
    : loop_(loop), fd_(std::move(fd)), budget_(rate) {
  on_line_ = [this, hand_on = std::move(on_line)](std::string text) {
    unpaid_ += OutputBudget::line_cost + static_cast<std::int64_t>(text.size());
    hand_on(std::move(text));
  };
  loop_.watch(fd_.get(), [this] {
    if (read_once()) rest_if_spent();
  });
}

OutputReader::~OutputReader() {
  loop_.cancel(rest_);
  if (fd_.is_open()) loop_.unwatch(fd_.get());
}

void OutputReader::set_reading(bool reading) {
  reading_ = reading;
  update_interest();
}

void OutputReader::update_interest() {
  if (fd_.is_open()) loop_.set_interest(fd_.get(), reading_ && rest_ == 0, false);
}

void OutputReader::rest_if_spent() {
  const Time now = EventLoop::now();
  budget_.spend(now, std::exchange(unpaid_, 0));
  const Duration wait = budget_.wait(now);
  if (wait == Duration(0)) return;
  rest_ = loop_.at(now + wait, [this] {
    rest_ = 0;
    update_interest();
  });
  update_interest();
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
  loop_.cancel(std::exchange(rest_, 0));
  loop_.unwatch(fd_.get());
  fd_.reset();
  splitter_.finish(on_line_);
}

}  // namespace dt::shim
