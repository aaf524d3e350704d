#include "cli/context.h"

#include <archive.h>
#include <archive_entry.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "dovetail/v1/context.grpc.pb.h"
#include "formats/sha256.h"

namespace dt::cli {
namespace {

namespace fs = std::filesystem;
namespace v1 = ::dovetail::v1;

constexpr std::size_t upload_piece_bytes = 256 * 1024;
constexpr std::size_t announce_bytes = 4 * 1024 * 1024;

struct Entry {
  std::string path;  // relative
  fs::path source;
  fs::file_type type = fs::file_type::regular;
};

Status refused(const std::string& path, const std::string& why) {
  return invalid_argument("context: ", path, " ", why)
      .with_detail({.subject = "context",
                    .value = path,
                    .hint = cat("leave it out with a line in .dtignore: ", path),
                    .path = path});
}

std::vector<std::string> read_ignore_files(const fs::path& folder) {
  std::vector<std::string> patterns = {".git", "__pycache__"};
  for (const char* name : {".dtignore", ".detignore"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty() && line.front() != '#') patterns.push_back(line);
    }
  }
  return patterns;
}

bool is_ignored(const std::vector<std::string>& patterns, const std::string& path, bool is_folder) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ignore_matches(pattern, path, is_folder);
  });
}

bool leads_out(const fs::path& link_path, const fs::path& target) {
  if (target.is_absolute()) return true;
  const fs::path end = (link_path.parent_path() / target).lexically_normal();
  return !end.empty() && *end.begin() == "..";
}

Status collect(const fs::path& root, const std::vector<std::string>& patterns,
               std::vector<Entry>& entries) {
  std::error_code error;
  fs::recursive_directory_iterator walk(root, error), end;
  if (error) return not_found("context ", root.string(), ": ", error.message());
  for (; walk != end; walk.increment(error)) {
    if (error) return internal("context ", root.string(), ": ", error.message());
    const fs::file_type type = walk->symlink_status().type();
    const std::string path = walk->path().lexically_relative(root).string();
    if (is_ignored(patterns, path, type == fs::file_type::directory)) {
      if (type == fs::file_type::directory) walk.disable_recursion_pending();
      continue;
    }
    if (type == fs::file_type::symlink) {
      const fs::path target = fs::read_symlink(walk->path(), error);
      if (leads_out(path, target)) return refused(path, cat("is a link out, to ", target.string()));
    } else if (type != fs::file_type::regular && type != fs::file_type::directory) {
      return refused(path, "is neither a file, a folder nor a link");
    }
    entries.push_back({path, walk->path(), type});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return {};
}

Status check_limits(const PackedContext& context) {
  if (context.files > context_files_max) {
    return resource_exhausted("context: more than ", context_files_max, " files")
        .with_hint("leave some out with .dtignore, or name a smaller folder");
  }
  if (context.bytes > context_bytes_max) {
    return resource_exhausted("context: more than ", context_bytes_max / (1024 * 1024), " MiB")
        .with_hint("leave data out with .dtignore and give its folder to the program instead");
  }
  return {};
}

struct ArchiveCloser {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct EntryCloser {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

la_ssize_t append_bytes(archive*, void* out, const void* data, size_t bytes) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), bytes);
  return static_cast<la_ssize_t>(bytes);
}

Status write_entry(archive* writer, const Entry& entry, PackedContext& context) {
  const std::unique_ptr<archive_entry, EntryCloser> header(archive_entry_new());
  archive_entry_set_pathname(header.get(), entry.path.c_str());
  std::string content;
  std::error_code error;
  if (entry.type == fs::file_type::symlink) {
    archive_entry_set_filetype(header.get(), AE_IFLNK);
    archive_entry_set_symlink(header.get(), fs::read_symlink(entry.source, error).c_str());
  } else if (entry.type == fs::file_type::directory) {
    archive_entry_set_filetype(header.get(), AE_IFDIR);
    archive_entry_set_perm(header.get(), 0755);
  } else {
    context.bytes += static_cast<std::int64_t>(fs::file_size(entry.source, error));
    ++context.files;
    TRY(check_limits(context));  // before it is read
    std::ifstream file(entry.source, std::ios::binary);
    if (!file) return permission_denied("context: cannot read ", entry.path);
    content.assign(std::istreambuf_iterator<char>(file), {});
    const auto rights = fs::status(entry.source, error).permissions();
    const bool runs = (rights & fs::perms::owner_exec) != fs::perms::none;
    archive_entry_set_filetype(header.get(), AE_IFREG);
    archive_entry_set_perm(header.get(), runs ? 0755 : 0644);
    archive_entry_set_size(header.get(), static_cast<la_int64_t>(content.size()));
  }
  if (archive_write_header(writer, header.get()) < ARCHIVE_WARN) {
    return internal("context: ", entry.path, ": ", std::string(archive_error_string(writer)));
  }
  archive_write_data(writer, content.data(), content.size());
  return {};
}

}  // namespace

bool ignore_matches(const std::string& line, const std::string& path, bool is_folder) {
  std::string pattern = line;
  if (pattern.back() == '/') {
    if (!is_folder) return false;
    pattern.pop_back();
  }
  const bool is_anchored = pattern.find('/') != std::string::npos;
  if (!pattern.empty() && pattern.front() == '/') pattern.erase(0, 1);
  if (is_anchored) return fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  const std::string name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

Result<PackedContext> pack_context(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return not_found("context ", folder, " is no folder").with_hint("give the folder of your code");
  }
  std::vector<Entry> entries;
  TRY(collect(folder, read_ignore_files(folder), entries));
  PackedContext context;
  const std::unique_ptr<archive, ArchiveCloser> writer(archive_write_new());
  archive_write_add_filter_gzip(writer.get());
  archive_write_set_options(writer.get(), "gzip:!timestamp");
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open2(writer.get(), &context.archive, nullptr, append_bytes, nullptr, nullptr);
  for (const Entry& entry : entries) TRY(write_entry(writer.get(), entry, context));
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return internal("context: ", std::string(archive_error_string(writer.get())));
  }
  context.hash = sha256_hex(context.archive);
  return context;
}

Result<std::string> upload_context(const client::Client& client, const std::string& folder) {
  const PackedContext context = TRY(pack_context(folder));
  v1::HasContextRequest has;
  has.set_hash(context.hash);
  if (TRY(client.call<v1::Contexts>(&v1::Contexts::Stub::HasContext, has)).present()) {
    return context.hash;
  }
  if (context.archive.size() > announce_bytes) {
    std::fprintf(stderr, "uploading %lld files, %.1f MiB packed\n",
                 static_cast<long long>(context.files),
                 static_cast<double>(context.archive.size()) / (1024 * 1024));
  }
  std::size_t sent = 0;
  const auto next_piece = [&](v1::UploadContextRequest& piece) {
    if (sent >= context.archive.size()) return false;
    if (sent == 0) piece.set_hash(context.hash);
    piece.set_data(context.archive.substr(sent, upload_piece_bytes));
    sent += piece.data().size();
    return true;
  };
  TRY(client.write<v1::Contexts>(&v1::Contexts::Stub::UploadContext, next_piece));
  return context.hash;
}

}  // namespace dt::cli
