#include "master/context_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <string>
#include <string_view>

namespace dt::master {
namespace {

struct ArchiveCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

// How deep a relative path ends up below the context's root, or -1 when it leaves it on the way.
int depth_of(std::string_view path, int depth = 0) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return -1;
  }
  return depth;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

Status check_entry(archive_entry* entry) {
  const char* raw = archive_entry_pathname(entry);
  const std::string path = raw ? raw : "";
  const auto refuse = [&](const std::string& why) {
    return invalid_argument("context: ", path, " ", why)
        .with_detail({.subject = "context", .value = path,
                      .hint = "leave it out with a line in .dtignore", .path = path});
  };
  if (path.empty() || path.front() == '/' || depth_of(path) < 0) return refuse("is not inside the context");
  if (const char* hard = archive_entry_hardlink(entry)) {
    if (hard[0] == '/' || depth_of(hard) < 0) return refuse(cat("is a link out, to ", hard));
    return {};
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR: return {};
    case AE_IFLNK: {
      const std::string target = archive_entry_symlink(entry) ? archive_entry_symlink(entry) : "";
      const bool leaves = target.empty() || target.front() == '/' ||
                          depth_of(target, depth_of(parent_of(path))) < 0;
      return leaves ? refuse(cat("is a link out, to ", target)) : Status();
    }
    default: return refuse("is neither a file, a folder nor a link");
  }
}

Status check_size(const ContextContent& content) {
  if (content.files > context_files_max) {
    return resource_exhausted("context: more than ", context_files_max, " files")
        .with_hint("leave some out with .dtignore");
  }
  if (content.bytes > context_bytes_max) {
    return resource_exhausted("context: more than ", context_bytes_max / (1024 * 1024),
                              " MiB unpacked")
        .with_hint("leave data out with .dtignore and name its folder instead");
  }
  return {};
}

}  // namespace

Result<ContextContent> check_context_archive(const std::filesystem::path& path) {
  const std::unique_ptr<archive, ArchiveCloser> reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_none(reader.get());
  archive_read_support_format_tar(reader.get());
  const auto broken = [&] {
    const char* why = archive_error_string(reader.get());
    return invalid_argument("context: the archive cannot be read: ", std::string(why ? why : "?"));
  };
  if (archive_read_open_filename(reader.get(), path.c_str(), 64 * 1024) != ARCHIVE_OK) return broken();
  ContextContent content;
  for (;;) {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return content;
    if (result != ARCHIVE_OK) return broken();
    TRY(check_entry(entry));
    if (archive_entry_filetype(entry) == AE_IFREG) ++content.files;
    content.bytes += archive_entry_size(entry);
    TRY(check_size(content));
    if (archive_read_data_skip(reader.get()) != ARCHIVE_OK) return broken();
  }
}

}  // namespace dt::master
