#include "master/blobs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace dt::master {
namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

Status system_error(const std::string& what, const std::filesystem::path& path) {
  const std::string reason = cat(what, " ", path.string(), ": ", std::strerror(errno));
  return errno == ENOSPC ? resource_exhausted(reason) : internal(reason);
}

Status sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error("opening", folder);
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  return synced ? Status() : system_error("syncing", folder);
}

}  // namespace

bool is_sha256(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<Blobs> Blobs::open(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder / "parts", error);
  if (error) return internal("making ", folder.string(), ": ", error.message());
  for (const auto& left : std::filesystem::directory_iterator(folder / "parts", error)) {
    std::filesystem::remove(left.path(), error);
  }
  const Blobs blobs(folder);
  std::filesystem::create_directories(folder / "condemned", error);
  if (error) return internal("making ", (folder / "condemned").string(), ": ", error.message());
  for (const auto& left : std::filesystem::directory_iterator(folder / "condemned", error)) {
    TRY(blobs.put_back(left.path().filename().string()));
  }
  return blobs;
}

std::filesystem::path Blobs::condemned(const std::string& sha256) const {
  return folder_ / "condemned" / sha256;
}

Status Blobs::condemn(const std::string& sha256) const {
  if (!has(sha256)) return {};
  if (::rename(path(sha256).c_str(), condemned(sha256).c_str()) == 0 || errno == ENOENT) return {};
  return system_error("setting aside", path(sha256));
}

Status Blobs::remove_condemned(const std::string& sha256) const {
  if (::unlink(condemned(sha256).c_str()) == 0 || errno == ENOENT) return {};
  return system_error("removing", condemned(sha256));
}

Status Blobs::put_back(const std::string& sha256) const {
  if (has(sha256)) return remove_condemned(sha256);  // stored again meanwhile, the same content
  std::error_code error;
  std::filesystem::create_directories(path(sha256).parent_path(), error);
  if (::rename(condemned(sha256).c_str(), path(sha256).c_str()) == 0 || errno == ENOENT) return {};
  return system_error("putting back", path(sha256));
}

std::filesystem::path Blobs::path(const std::string& sha256) const {
  return folder_ / sha256.substr(0, 2) / sha256;
}

bool Blobs::has(const std::string& sha256) const {
  std::error_code error;
  return is_sha256(sha256) && std::filesystem::is_regular_file(path(sha256), error);
}

Status Blobs::read(const std::string& sha256, const std::function<bool(std::string)>& take) const {
  if (!has(sha256)) return not_found("no file with SHA-256 ", sha256, " is stored here");
  const int fd = ::open(path(sha256).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error("opening", path(sha256));
  Status status;
  for (;;) {
    std::string piece(piece_bytes, '\0');
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0) status = system_error("reading", path(sha256));
    if (got <= 0) break;
    piece.resize(static_cast<std::size_t>(got));
    if (!take(std::move(piece))) break;
  }
  ::close(fd);
  return status;
}

Result<std::unique_ptr<BlobWriter>> Blobs::write(const std::string& sha256) const {
  if (!is_sha256(sha256)) return invalid_argument("\"", sha256, "\" is not a SHA-256 in hex");
  static std::atomic<std::uint64_t> counter = 0;
  const auto part = folder_ / "parts" / cat(sha256, ".", ++counter);
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return system_error("making", part);
  return std::make_unique<BlobWriter>(part, path(sha256), sha256, fd);
}

BlobWriter::BlobWriter(std::filesystem::path part, std::filesystem::path target,
                       std::string sha256, int fd)
    : part_(std::move(part)), target_(std::move(target)), sha256_(std::move(sha256)), fd_(fd) {}

BlobWriter::~BlobWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(part_.c_str());
}

Status BlobWriter::append(const std::string& data) {
  hash_.update(data);
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t wrote = ::write(fd_, data.data() + done, data.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error("writing", part_);
    done += static_cast<std::size_t>(wrote);
  }
  bytes_ += static_cast<std::int64_t>(data.size());
  return {};
}

Status BlobWriter::keep() {
  const std::string found = hash_.hex();
  if (found != sha256_) {
    return data_loss("the content has SHA-256 ", found, ", not ", sha256_)
        .with_hint("it was damaged on the way; send it again");
  }
  if (::fsync(fd_) != 0) return system_error("syncing", part_);
  std::error_code error;
  std::filesystem::create_directories(target_.parent_path(), error);
  if (::rename(part_.c_str(), target_.c_str()) != 0) return system_error("renaming", part_);
  ::close(fd_);
  fd_ = -1;
  return sync_folder(target_.parent_path());
}

}  // namespace dt::master
