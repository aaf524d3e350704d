#include "shim/checkpoint_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "shim/files.h"

namespace dt::shim {
namespace {

std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Status sync(int fd, const std::string& what) {
  if (::fsync(fd) != 0) return file_error(cat("cannot sync ", what), errno);
  return {};
}

Result<Fd> open_inner(int folder, const std::string& name, int flags, const std::string& what) {
  Fd fd(::openat(folder, name.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return file_error(cat("cannot open ", what), errno);
  return fd;
}

Status check_size(int fd, std::int64_t bytes, const std::string& what) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return file_error(cat("cannot look at ", what), errno);
  if (!S_ISREG(info.st_mode)) return failed_precondition(what, " is no regular file");
  if (info.st_size == bytes) return {};
  return failed_precondition(what, " has ", std::int64_t{info.st_size}, " bytes, announced were ",
                             bytes);
}

// Walks down name by name, so that no part of the path is a link; syncs the file, then the folders
// on the way back.
Status secure_file(int folder, const std::string& path, std::int64_t bytes) {
  const auto names = names_of(path);
  std::vector<Fd> folders;
  int at = folder;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    folders.push_back(TRY(open_inner(at, names[i], O_DIRECTORY, path)));
    at = folders.back().get();
  }
  const Fd file = TRY(open_inner(at, names.back(), 0, path));
  TRY(check_size(file.get(), bytes, path));
  TRY(sync(file.get(), path));
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) TRY(sync(it->get(), path));
  return {};
}

}  // namespace

Status secure_checkpoint(const std::string& checkpoint_dir, const Value& body) {
  const std::string& id = body["id"].as_string();
  const std::string name = cat("checkpoint ", id);
  if (checkpoint_dir.empty()) {
    return failed_precondition(name, ": this run has no checkpoint folder");
  }
  const Fd root(::open(checkpoint_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return file_error(cat(name, ": cannot open ", checkpoint_dir), errno);
  const Fd folder = TRY(open_inner(root.get(), id, O_DIRECTORY, cat(checkpoint_dir, "/", id)));
  for (const Value& file : body["files"].as_array()) {
    Status secured = secure_file(folder.get(), file["path"].as_string(), file["bytes"].as_int());
    if (!secured.ok()) return std::move(secured).with_context(name);
  }
  TRY(sync(folder.get(), cat(checkpoint_dir, "/", id)));
  return sync(root.get(), checkpoint_dir);
}

}  // namespace dt::shim
