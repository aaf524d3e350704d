// Files kept by content below the data folder: contexts and checkpoint files, each under its
// SHA-256. A file appears under its name only when it is whole, its hash is right and it is on disk,
// so a crash leaves nothing half done. Safe from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "formats/sha256.h"

namespace dt::master {

bool is_sha256(const std::string& text);

class BlobWriter;

class Blobs {
 public:
  static Result<Blobs> open(const std::filesystem::path& folder);  // removes left-over parts

  // Deletion in two steps, so that a file that is mentioned meanwhile is not lost: from condemn() on
  // nobody finds it, so whoever needs it stores it again; then it is removed or put back. A crash in
  // between puts it back.
  Status condemn(const std::string& sha256) const;  // nothing to do if it is not there
  Status remove_condemned(const std::string& sha256) const;
  Status put_back(const std::string& sha256) const;

  bool has(const std::string& sha256) const;
  std::filesystem::path path(const std::string& sha256) const;
  // Calls `take` with pieces of at most 256 KiB until the end or until it returns false.
  Status read(const std::string& sha256, const std::function<bool(std::string)>& take) const;
  Result<std::unique_ptr<BlobWriter>> write(const std::string& sha256) const;

 private:
  std::filesystem::path condemned(const std::string& sha256) const;
  explicit Blobs(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

class BlobWriter {
 public:
  BlobWriter(std::filesystem::path part, std::filesystem::path target, std::string sha256, int fd);
  ~BlobWriter();  // unless kept, nothing is left
  BlobWriter(const BlobWriter&) = delete;
  BlobWriter& operator=(const BlobWriter&) = delete;

  Status append(const std::string& data);
  std::int64_t bytes() const { return bytes_; }
  const std::filesystem::path& part() const { return part_; }  // to look at before keep()
  Status keep();  // data_loss when the content is not what its name says

 private:
  std::filesystem::path part_;
  std::filesystem::path target_;
  std::string sha256_;
  Sha256 hash_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
};

}  // namespace dt::master
