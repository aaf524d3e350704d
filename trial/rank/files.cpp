#include "trial/rank/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "base/disk_space.h"

namespace dt::trial {
namespace {

namespace fs = std::filesystem;

Status failed(const std::string& what, const std::string& path) {
  const int reason = errno;
  if (is_no_space(reason)) return no_space_left(cat(what, " ", path), path);
  const Code code = reason == EACCES   ? Code::permission_denied
                    : reason == ENOENT ? Code::not_found
                                       : Code::unavailable;
  return {code, cat(what, " ", path, ": ", std::strerror(reason))};
}

Status sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failed("opening folder", path);
  const int synced = ::fsync(fd);
  ::close(fd);
  return synced == 0 ? Status() : failed("syncing folder", path);
}

}  // namespace

FileWriter::FileWriter(int fd, std::string folder, std::string name)
    : fd_(fd), folder_(std::move(folder)), name_(std::move(name)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      bytes_(other.bytes_),
      hash_(other.hash_) {}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileWriter> FileWriter::create(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return failed("creating", path);
  return FileWriter(fd, folder, name);
}

Status FileWriter::write(const void* data, std::size_t bytes) {
  hash_.update(data, bytes);
  bytes_ += static_cast<std::int64_t>(bytes);
  const char* at = static_cast<const char*>(data);
  bool told = false;
  while (bytes > 0) {
    const auto written = ::write(fd_, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && is_no_space(errno)) {
      wait_for_space(std::exchange(told, true));
      continue;
    }
    if (written < 0) return failed("writing", folder_ + "/" + name_);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return {};
}

// To fail would cost a restart each time and mend nothing.
void FileWriter::wait_for_space(bool told) const {
  const std::string path = folder_ + "/" + name_;
  if (!told) {
    const Status full = no_space_left(cat("waiting to write ", path), path);
    std::fprintf(stderr, "dovetail: %s\n", full.text().c_str());
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

Result<ReportedFile> FileWriter::close() {
  const int fd = std::exchange(fd_, -1);
  const bool synced = ::fsync(fd) == 0;
  if (::close(fd) != 0 || !synced) return failed("syncing", folder_ + "/" + name_);
  return ReportedFile{name_, bytes_, hash_.hex()};
}

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return failed("opening", path);
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return failed("reading", path);
  return std::move(text).str();
}

Result<std::string> read_verified(const std::string& folder, const ReportedFile& file) {
  std::string text = TRY(read_file(folder + "/" + file.path));
  if (static_cast<std::int64_t>(text.size()) != file.bytes || sha256_hex(text) != file.sha256) {
    return data_loss("checkpoint file ", folder, "/", file.path, " has ", text.size(),
                     " bytes and not the contents that its manifest names (", file.bytes,
                     " bytes, SHA-256 ", file.sha256, ")");
  }
  return text;
}

Status make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return unavailable("creating folder ", path, ": ", error.message());
  return {};
}

Status make_fresh_folder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return unavailable("removing ", path, ": ", error.message());
  return make_folders(path);
}

Status publish_folder(const std::string& temporary, const std::string& final_path) {
  TRY(sync_folder(temporary));
  if (::rename(temporary.c_str(), final_path.c_str()) != 0)
    return failed("renaming to", final_path);
  return sync_folder(fs::path(final_path).parent_path().string());
}

std::string random_uuid() {
  std::random_device device;
  std::string out;
  for (int i = 0; i < 16; ++i) {
    auto byte = static_cast<unsigned>(device() & 0xff);
    if (i == 6) byte = (byte & 0x0f) | 0x40;  // version 4
    if (i == 8) byte = (byte & 0x3f) | 0x80;  // variant 1
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace dt::trial
