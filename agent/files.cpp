#include "agent/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace dt::agent {

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

std::atomic<int> temporaries = 0;  // threads may replace files at once

}  // namespace

Status file_error(const std::string& what, int error) {
  const std::string message = cat(what, ": ", std::strerror(error));
  switch (error) {
    case ENOENT: return Status(Code::not_found, message);
    case EACCES:
    case EPERM: return Status(Code::permission_denied, message);
    case ENOSPC:
    case EDQUOT: return Status(Code::resource_exhausted, message);
    default: return Status(Code::internal, message);
  }
}

Status read_pieces(int fd, const std::string& name,
                   const std::function<Status(std::string_view)>& take) {
  std::vector<char> buffer(piece_bytes);
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("cannot read " + name, errno);
    if (got == 0) return {};
    TRY(take({buffer.data(), static_cast<std::size_t>(got)}));
  }
}

Status write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("cannot write " + name, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return file_error("cannot open " + path, errno);
  std::string text;
  TRY(read_pieces(file.get(), path, [&](std::string_view piece) {
    text += piece;
    return Status();
  }));
  return text;
}

Status replace_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string temporary = cat(path, ".new", ++temporaries);
  {
    const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file.is_open()) return file_error("cannot open " + temporary, errno);
    TRY(write_all(file.get(), text, temporary));
    if (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0) {
      return file_error("cannot write " + temporary, errno);
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return file_error(cat("cannot rename ", temporary, " to ", path), errno);
  }
  return sync_folder(std::filesystem::path(path).parent_path());
}

Status make_folder(const std::string& path, mode_t mode) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return file_error("cannot make " + path, error.value());
  if (::chmod(path.c_str(), mode) != 0) return file_error("cannot set the mode of " + path, errno);
  return {};
}

Status sync_folder(const std::string& path) {
  const Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return file_error("cannot open " + path, errno);
  if (::fsync(folder.get()) != 0) return file_error("cannot sync " + path, errno);
  return {};
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_safe_relative(std::string_view path) {
  if (path.empty()) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

Result<Fd> open_below(const std::string& folder, const std::string& path) {
  if (!is_safe_relative(path)) return invalid_argument("\"", path, "\" leads out of its folder");
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.is_open()) return file_error("cannot open " + folder, errno);
  std::string_view left = path;
  while (true) {
    const std::size_t slash = left.find('/');
    const std::string part(left.substr(0, slash));
    const bool is_last = slash == left.npos;
    const int kind = is_last ? O_NONBLOCK : O_DIRECTORY;  // a fifo must not hold us up
    Fd next(::openat(at.get(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
    if (!next.is_open()) return file_error(cat("cannot open ", folder, "/", path), errno);
    at = std::move(next);
    if (is_last) break;
    left.remove_prefix(slash + 1);
  }
  struct stat info {};
  if (::fstat(at.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return invalid_argument(folder, "/", path, " is not a regular file");
  }
  return at;
}

}  // namespace dt::agent
