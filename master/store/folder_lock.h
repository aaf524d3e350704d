// flock on a data folder: two masters never work in one. The lock is on the file `lock` in it,
// holds the owner's pid for people, is not inherited by children, and goes with the process,
// however it dies.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::master {

class FolderLock {
 public:
  // failed_precondition names the pid of the holder.
  static Result<FolderLock> take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;
};

}  // namespace dt::master
