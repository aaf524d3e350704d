#include "shim/prepare.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/disk_space.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

constexpr Duration lock_retry{200};
constexpr Duration full_retry{5'000};
constexpr std::size_t shown_bytes = 300;

// After a power loss there must be no marker beside half-written build results.
Status sync_and_mark(const std::string& folder, const std::string& marker) {
  const Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return file_error(cat("cannot open ", folder), errno);
  if (::syncfs(fd.get()) != 0) return file_error(cat("cannot sync ", folder), errno);
  return replace_file(marker, "");
}

}  // namespace

Prepare::Prepare(EventLoop& loop, Worker& worker, PrepareSpec spec, Events events)
    : loop_(loop), worker_(worker), spec_(std::move(spec)), events_(std::move(events)) {}

Prepare::~Prepare() { abandon(); }

void Prepare::abandon() {
  abandoned_ = true;
  loop_.cancel(retry_);
}

void Prepare::run() {
  if (spec_.marker.empty()) return start();
  const std::string path = spec_.marker + ".lock";
  lock_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_.is_open()) {
    return end({1, file_error(cat("cannot open ", path), errno).message(), true});
  }
  take_lock();
}

void Prepare::take_lock() {
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    retry_ = loop_.at(EventLoop::now() + lock_retry, [this] { take_lock(); });
    return;
  }
  if (::access(spec_.marker.c_str(), F_OK) == 0) return end({});
  start();
}

void Prepare::start() {
  auto process = spawn(spec_.command);
  if (!process.ok()) return end({127, process.status().message()});
  pid_ = process->pid;
  out_ = std::make_unique<OutputReader>(loop_, std::move(process->out), [this](std::string text) {
    print("stdout", std::move(text));
  });
  err_ = std::make_unique<OutputReader>(loop_, std::move(process->err), [this](std::string text) {
    print("stderr", std::move(text));
  });
}

void Prepare::print(const char* output, std::string text) {
  found_no_space_ |= text.find("No space left on device") != text.npos;
  if (text.find_first_not_of(" \t") != text.npos) last_line_ = text.substr(0, shown_bytes);
  events_.printed(output, std::move(text));
}

void Prepare::reaped(int code) {
  pid_ = 0;
  out_->finish();
  err_->finish();
  if (code != 0 && found_no_space_ && !abandoned_) return wait_for_space();
  if (code != 0) return end({code, last_line_});
  if (spec_.marker.empty()) return end({});
  mark();
}

// A build that found the disk full is not the user's failure: it is tried again.
void Prepare::wait_for_space() {
  found_no_space_ = false;
  print("shim", no_space_left("prepare failed", spec_.command.cwd).text());
  retry_ = loop_.at(EventLoop::now() + full_retry, [this] { start(); });
}

void Prepare::mark() {
  worker_.run([this, folder = spec_.command.cwd, marker = spec_.marker] {
    const Status marked = sync_and_mark(folder, marker);
    return [this, marked] {
      end(marked.ok() ? core::shim::PrepareEnded{}
                      : core::shim::PrepareEnded{1, marked.message(), true});
    };
  });
}

void Prepare::end(core::shim::PrepareEnded result) {
  lock_.reset();
  events_.ended(std::move(result));
}

void Prepare::set_reading(bool reading) {
  if (out_) out_->set_reading(reading);
  if (err_) err_->set_reading(reading);
}

}  // namespace dt::shim
