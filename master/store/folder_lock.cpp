#include "master/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace dt::master {

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed_precondition("opening ", path, ": ", std::strerror(errno));
  FolderLock lock(file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 32> text{};
    const ssize_t count = pread(file, text.data(), text.size() - 1, 0);
    const std::string holder(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    return failed_precondition("another master works in ", folder, ", process ", holder)
        .with_hint("stop it first, or name another data folder");
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(file, 0) != 0 || pwrite(file, pid.data(), pid.size(), 0) < 0) {
    return resource_exhausted("writing ", path, ": ", std::strerror(errno));
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);  // which gives the lock up
}

}  // namespace dt::master
