#include "master/store/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dt::master {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; i++) {
    if (!std::getline(lines, line)) return "";
  }
  return line;
}

Status file_error(const std::string& doing, const std::string& path) {
  const int error = errno;
  const Code code = error == ENOSPC ? Code::resource_exhausted : Code::failed_precondition;
  return Status(code, cat(doing, " ", path, ": ", std::strerror(error)));
}

// By a temporary name, so that a crash leaves the old file or the new one.
Status write_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string draft = path + ".new";
  unlink(draft.c_str());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return file_error("writing", draft);
  fchmod(file, mode);  // whatever the umask is
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
  const Status status = written ? Status() : file_error("writing", draft);
  close(file);
  if (status.ok() && rename(draft.c_str(), path.c_str()) != 0) return file_error("writing", path);
  return status;
}

Status make_private_folder(const std::string& path, const OsUser& user) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return file_error("making", path);
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return file_error("looking at", path);
  const bool known_owner = found.st_uid == user.id || found.st_uid == geteuid();
  if (!S_ISDIR(found.st_mode) || !known_owner || (found.st_mode & 077) != 0) {
    return failed_precondition(path, " is not a folder of user ", user.name, " alone (mode 0700)")
        .with_hint("move it away; dovetail makes it anew");
  }
  if (found.st_uid == user.id) return {};
  if (lchown(path.c_str(), user.id, user.group) == 0) return {};
  return file_error("giving away", path);
}

}  // namespace dt::master
