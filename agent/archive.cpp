#include "agent/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <memory>

#include "agent/files.h"
#include "base/disk_space.h"

namespace dt::agent {

namespace {

constexpr std::size_t block_bytes = 64 * 1024;
constexpr int secure_flags = ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME |
                             ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT;

struct FreeReader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
struct FreeWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};

// Where a link leads, seen from the top of the folder: it must stay inside.
bool leads_out(const std::string& path, const std::string& target) {
  if (target.starts_with('/')) return true;
  int depth = 0;
  for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1)) ++depth;
  for (std::size_t at = 0; at <= target.size();) {
    const std::size_t slash = std::min(target.find('/', at), target.size());
    const std::string part = target.substr(at, slash - at);
    if (part == "..") --depth;
    if (depth < 0) return true;
    if (!part.empty() && part != "." && part != "..") ++depth;
    at = slash + 1;
  }
  return false;
}

class Unpacking {
 public:
  Unpacking(const std::string& name, std::string folder, const ArchiveLimits& limits)
      : name_(name),
        folder_(std::move(folder)),
        limits_(limits),
        reader_(archive_read_new()),
        writer_(archive_write_disk_new()) {
    archive_read_support_format_tar(reader_.get());
    archive_read_support_filter_gzip(reader_.get());
    archive_write_disk_set_options(writer_.get(), secure_flags);
  }

  Status run() {
    if (archive_read_open_filename(reader_.get(), name_.c_str(), block_bytes) != ARCHIVE_OK) {
      return failed(reader_.get());
    }
    while (true) {
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(reader_.get(), &entry);
      if (result == ARCHIVE_EOF) return {};
      if (result != ARCHIVE_OK) return failed(reader_.get());
      TRY(unpack(entry));
    }
  }

 private:
  Status unpack(archive_entry* entry) {
    std::string path = archive_entry_pathname(entry);
    while (path.starts_with("./")) path.erase(0, 2);
    while (path.ends_with('/')) path.pop_back();
    if (path.empty() || path == ".") return {};
    TRY(check(entry, path));
    archive_entry_set_pathname(entry, cat(folder_, "/", path).c_str());
    if (const char* hardlink = archive_entry_hardlink(entry)) {
      archive_entry_set_hardlink(entry, cat(folder_, "/", hardlink).c_str());
    }
    // The owner may always read, and enter folders; nobody gains rights by set-id bits.
    const mode_t own = archive_entry_filetype(entry) == AE_IFDIR ? 0700 : 0600;
    archive_entry_set_perm(entry, (archive_entry_perm(entry) & 0777) | own);
    if (archive_write_header(writer_.get(), entry) != ARCHIVE_OK) return failed(writer_.get());
    TRY(copy());
    if (archive_write_finish_entry(writer_.get()) != ARCHIVE_OK) return failed(writer_.get());
    return {};
  }

  Status check(archive_entry* entry, const std::string& path) {
    if (!is_safe_relative(path)) return refused(path, "leads out of the context");
    const auto type = archive_entry_filetype(entry);
    const char* hardlink = archive_entry_hardlink(entry);
    if (hardlink != nullptr && !is_safe_relative(hardlink)) {
      return refused(path, "is a link out of the context");
    }
    if (hardlink == nullptr && type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK) {
      return refused(path, "is no file, folder or link");
    }
    if (type == AE_IFLNK && leads_out(path, archive_entry_symlink(entry))) {
      return refused(path, "is a link out of the context");
    }
    if (++files_ > limits_.files_max) {
      return invalid_argument(name_, " has more than ", limits_.files_max, " files");
    }
    return {};
  }

  Status copy() {
    const void* block = nullptr;
    std::size_t bytes = 0;
    la_int64_t offset = 0;
    while (true) {
      const int result = archive_read_data_block(reader_.get(), &block, &bytes, &offset);
      if (result == ARCHIVE_EOF) return {};
      if (result != ARCHIVE_OK) return failed(reader_.get());
      bytes_ += static_cast<std::int64_t>(bytes);
      if (bytes_ > limits_.bytes_max) {
        return invalid_argument(name_, " unpacks to more than ", limits_.bytes_max, " bytes");
      }
      if (archive_write_data_block(writer_.get(), block, bytes, offset) < ARCHIVE_OK) {
        return failed(writer_.get());
      }
    }
  }

  Status failed(archive* handle) const {
    if (is_no_space(archive_errno(handle))) return no_space_left("cannot unpack " + name_, folder_);
    const char* reason = archive_error_string(handle);
    return invalid_argument("cannot unpack ", name_, ": ", reason == nullptr ? "?" : reason);
  }

  Status refused(const std::string& path, const char* reason) const {
    return invalid_argument("context refused: ", path, " ", reason);
  }

  const std::string& name_;
  std::string folder_;
  ArchiveLimits limits_;
  std::unique_ptr<archive, FreeReader> reader_;
  std::unique_ptr<archive, FreeWriter> writer_;
  std::int64_t bytes_ = 0;
  std::int64_t files_ = 0;
};

}  // namespace

Status unpack_archive(const std::string& archive, const std::string& folder,
                      const ArchiveLimits& limits) {
  return Unpacking(archive, folder, limits).run();
}

}  // namespace dt::agent
