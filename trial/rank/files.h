// Files that survive power loss: written under a temporary name, fsynced, renamed. Hashes come from
// the bytes as they are written. Not thread-safe (one writer a file).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/sha256.h"
#include "trial/rank/reporter.h"

namespace dt::trial {

// A new file; close() makes it durable and tells its size and hash. While the disk is full, write()
// says so on stderr and waits: the training stands still and goes on by itself.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& folder, const std::string& name);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(const void* data, std::size_t bytes);
  Status write(std::string_view text) { return write(text.data(), text.size()); }
  Result<ReportedFile> close();

 private:
  FileWriter(int fd, std::string folder, std::string name);
  void wait_for_space(bool told) const;

  int fd_;
  std::string folder_;
  std::string name_;
  std::int64_t bytes_ = 0;
  Sha256 hash_;
};

Result<std::string> read_file(const std::string& path);
// Reads the file and compares size and hash.
Result<std::string> read_verified(const std::string& folder, const ReportedFile& file);

// An empty folder of this name, whatever was there before.
Status make_fresh_folder(const std::string& path);
Status make_folders(const std::string& path);
// Makes the folder and its name durable: fsync, rename, fsync of the parent.
Status publish_folder(const std::string& temporary, const std::string& final_path);

std::string random_uuid();

}  // namespace dt::trial
