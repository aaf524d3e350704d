#include "shim/spool_writer.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

#include "base/disk_space.h"
#include "formats/spool.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

constexpr Duration gather_time{20};
constexpr Duration retry_time{1'000};

Status spool_error(const std::string& what, const std::string& path, int error) {
  return is_no_space(error) ? no_space_left(what, path) : file_error(what, error);
}

// Always from the last safe offset: after a failed fdatasync the kernel may have dropped the pages,
// so they must be written again, and the same bytes at the same place do no harm.
Status write_and_sync(int fd, const std::string& path, const std::string& bytes,
                      std::int64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto written = ::pwrite(fd, bytes.data() + done, bytes.size() - done,
                                  offset + static_cast<std::int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return spool_error("cannot write the spool", path, errno);
    done += static_cast<std::size_t>(written);
  }
  if (::fdatasync(fd) != 0) return spool_error("cannot sync the spool", path, errno);
  return {};
}

}  // namespace

Result<std::unique_ptr<SpoolWriter>> SpoolWriter::create(EventLoop& loop, const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.is_open() && errno == EEXIST) {
    return failed_precondition(path, " belongs to an earlier shim, whose allocation is lost");
  }
  if (!fd.is_open()) return file_error(cat("cannot create ", path), errno);
  TRY(sync_folder(std::filesystem::path(path).parent_path()));
  return std::unique_ptr<SpoolWriter>(new SpoolWriter(loop, path, std::move(fd)));
}

SpoolWriter::SpoolWriter(EventLoop& loop, std::string path, Fd fd)
    : loop_(loop), path_(std::move(path)), fd_(std::move(fd)), worker_(loop) {}

void SpoolWriter::append(const core::Record& record) {
  waiting_ += spool_line(core::to_value(record));
  ++appended_;
}

std::size_t SpoolWriter::waiting_bytes() const {
  return waiting_.size() + (flying_ ? flying_->size() : 0);
}

void SpoolWriter::sync() {
  if (commit_due_ || flying_) return;  // what flies calls again when it is done
  commit_due_ = true;
  loop_.at(EventLoop::now() + gather_time, [this] { commit(); });
}

void SpoolWriter::commit() {
  commit_due_ = false;
  flying_ = std::make_shared<const std::string>(std::exchange(waiting_, {}));
  flying_appended_ = appended_;
  submit();
}

void SpoolWriter::submit() {
  worker_.run([this, fd = fd_.get(), bytes = flying_, offset = offset_] {
    const Status result = write_and_sync(fd, path_, *bytes, offset);
    return [this, result] { written(result); };
  });
}

void SpoolWriter::written(const Status& result) {
  if (!result.ok()) {
    if (!in_trouble_) events_.troubled(result.text());
    in_trouble_ = true;
    loop_.at(EventLoop::now() + retry_time, [this] { submit(); });
    return;
  }
  offset_ += static_cast<std::int64_t>(flying_->size());
  flying_ = nullptr;
  if (std::exchange(in_trouble_, false)) events_.recovered();
  if (!waiting_.empty()) sync();
  events_.synced(flying_appended_);
}

}  // namespace dt::shim
