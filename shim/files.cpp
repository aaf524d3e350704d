#include "shim/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace dt::shim {
namespace {

Code code_of(int error) {
  switch (error) {
    case ENOENT: return Code::not_found;
    case EACCES:
    case EPERM: return Code::permission_denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return Code::resource_exhausted;
    default: return Code::unavailable;
  }
}

Status write_all(int fd, const std::string& path, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error(cat("cannot write ", path), errno);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

}  // namespace

Status file_error(const std::string& what, int error) {
  return Status(code_of(error), cat(what, ": ", std::strerror(error)));
}

Result<std::string> read_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return file_error(cat("cannot open ", path), errno);
  std::string text;
  char buffer[65536];
  while (true) {
    const auto got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(cat("cannot read ", path), errno);
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

Status replace_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd.is_open()) return file_error(cat("cannot create ", temporary), errno);
  TRY(write_all(fd.get(), temporary, text));
  if (::fsync(fd.get()) != 0) return file_error(cat("cannot sync ", temporary), errno);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return file_error(cat("cannot rename ", temporary), errno);
  }
  return sync_folder(std::filesystem::path(path).parent_path());
}

Status sync_folder(const std::string& path) {
  const std::string folder = path.empty() ? "." : path;
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return file_error(cat("cannot open ", folder), errno);
  if (::fsync(fd.get()) != 0) return file_error(cat("cannot sync ", folder), errno);
  return {};
}

}  // namespace dt::shim
