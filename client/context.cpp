#include "client/context.h"

#include <archive.h>
#include <archive_entry.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "dovetail/v1/context.grpc.pb.h"
#include "formats/sha256.h"

namespace dt::client {
namespace {

namespace fs = std::filesystem;
namespace v1 = ::dovetail::v1;

constexpr std::size_t upload_piece_bytes = 256 * 1024;
// Beyond these nothing is listed: somebody named “/”.
constexpr std::size_t entries_max = 10 * static_cast<std::size_t>(context_files_max);
constexpr std::size_t ignored_max = 10'000;

struct Pattern {
  std::string text;
  std::string source;
};

struct Entry {
  std::string path;  // relative
  fs::path source;
  fs::file_type type = fs::file_type::regular;
  std::int64_t bytes = 0;
};

// What a folder holds, by path.
struct Found {
  std::vector<Entry> entries;
  std::vector<IgnoredPath> ignored;
  std::vector<Status> problems;
  bool is_cut = false;
};

Status refused(const std::string& path, const std::string& why) {
  return invalid_argument("context: ", path, " ", why)
      .with_detail({.subject = "context",
                    .value = path,
                    .hint = cat("leave it out with a line in .dtignore: ", path),
                    .path = path});
}

Status stopped() { return cancelled("context: packing was stopped"); }

std::vector<Pattern> read_ignore_files(const fs::path& folder) {
  std::vector<Pattern> patterns = {{".git", "always"}, {"__pycache__", "always"}};
  for (const char* name : {".dtignore", ".detignore"}) {
    std::ifstream file(folder / name);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (line.empty() || line.front() == '#') continue;
      patterns.push_back({line, cat(name, " line ", number)});
    }
  }
  return patterns;
}

const Pattern* first_match(const std::vector<Pattern>& patterns, const std::string& path,
                           bool is_folder) {
  const auto it = std::find_if(patterns.begin(), patterns.end(), [&](const Pattern& pattern) {
    return ignore_matches(pattern.text, path, is_folder);
  });
  return it == patterns.end() ? nullptr : &*it;
}

bool leads_out(const fs::path& link_path, const fs::path& target) {
  if (target.is_absolute()) return true;
  const fs::path end = (link_path.parent_path() / target).lexically_normal();
  return !end.empty() && *end.begin() == "..";
}

Status check_entry(const Entry& entry) {
  std::error_code error;
  if (entry.type == fs::file_type::symlink) {
    const fs::path target = fs::read_symlink(entry.source, error);
    if (leads_out(entry.path, target)) {
      return refused(entry.path, cat("is a link out, to ", target.string()));
    }
  } else if (entry.type != fs::file_type::regular && entry.type != fs::file_type::directory) {
    return refused(entry.path, "is neither a file, a folder nor a link");
  }
  return {};
}

void take(const fs::directory_entry& item, std::string path, Found& found) {
  std::error_code error;
  Entry entry{std::move(path), item.path(), item.symlink_status(error).type()};
  if (entry.type == fs::file_type::regular) {
    entry.bytes = static_cast<std::int64_t>(item.file_size(error));
    if (error) entry.bytes = 0;  // it went away: packing will tell
  }
  Status problem = check_entry(entry);
  if (!problem.ok()) found.problems.push_back(std::move(problem));
  found.entries.push_back(std::move(entry));
}

void sort_by_path(Found& found) {
  const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
  std::sort(found.entries.begin(), found.entries.end(), by_path);
  std::sort(found.ignored.begin(), found.ignored.end(), by_path);
  std::sort(found.problems.begin(), found.problems.end(), [](const Status& a, const Status& b) {
    return a.detail().path < b.detail().path;
  });
}

Result<Found> walk(const fs::path& root, const std::stop_token& stop) {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return not_found("context ", root.string(), " is no folder")
        .with_hint("give the folder of your code");
  }
  const std::vector<Pattern> patterns = read_ignore_files(root);
  Found found;
  fs::recursive_directory_iterator item(root, error), end;
  if (error) return not_found("context ", root.string(), ": ", error.message());
  while (item != end && !found.is_cut) {
    if (stop.stop_requested()) return stopped();
    const bool is_folder = item->symlink_status(error).type() == fs::file_type::directory;
    std::string path = item->path().lexically_relative(root).string();
    if (const Pattern* pattern = first_match(patterns, path, is_folder)) {
      if (is_folder) item.disable_recursion_pending();
      if (found.ignored.size() < ignored_max) {
        found.ignored.push_back({std::move(path), is_folder, pattern->text, pattern->source});
      }
    } else {
      take(*item, std::move(path), found);
    }
    found.is_cut = found.entries.size() >= entries_max;
    const std::string last = item->path().string();
    item.increment(error);  // an error makes it the end
    if (error) return internal("context ", root.string(), ": after ", last, ": ", error.message());
  }
  sort_by_path(found);
  return found;
}

Status check_limits(std::int64_t files, std::int64_t bytes) {
  if (files > context_files_max) {
    return resource_exhausted("context: more than ", context_files_max, " files")
        .with_hint("leave some out with .dtignore, or name a smaller folder");
  }
  if (bytes > context_bytes_max) {
    return resource_exhausted("context: more than ", context_bytes_max / (1024 * 1024), " MiB")
        .with_hint("leave data out with .dtignore and give its folder to the program instead");
  }
  return {};
}

Status too_large(const std::string& folder) {
  return resource_exhausted("context ", folder, ": more than ", entries_max, " files and folders")
      .with_hint("name the folder of your code alone");
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

Result<std::string> read_file(const Entry& entry, PackedContext& context) {
  std::error_code error;
  context.bytes += static_cast<std::int64_t>(fs::file_size(entry.source, error));
  ++context.files;
  TRY(check_limits(context.files, context.bytes));  // before it is read
  std::ifstream file(entry.source, std::ios::binary);
  if (!file) return permission_denied("context: cannot read ", entry.path);
  return std::string(std::istreambuf_iterator<char>(file), {});
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
    content = TRY(read_file(entry, context));
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

struct Sum {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

Sum sum_of(const std::vector<Entry>& entries) {
  Sum sum;
  for (const Entry& entry : entries) {
    if (entry.type != fs::file_type::regular) continue;
    ++sum.files;
    sum.bytes += entry.bytes;
  }
  return sum;
}

void report(const ContextOptions& options, const ContextProgress& progress) {
  if (options.on_progress) options.on_progress(progress);
}

Status send(const Client& client, const PackedContext& context, const ContextOptions& options) {
  ContextProgress progress{.phase = ContextProgress::Phase::uploading,
                           .total_bytes = static_cast<std::int64_t>(context.archive.size()),
                           .files = context.files};
  std::size_t sent = 0;
  const auto next_piece = [&](v1::UploadContextRequest& piece) {
    progress.done_bytes = static_cast<std::int64_t>(sent);
    report(options, progress);
    if (sent >= context.archive.size()) return false;
    if (sent == 0) piece.set_hash(context.hash);
    piece.set_data(context.archive.substr(sent, upload_piece_bytes));
    sent += piece.data().size();
    return true;
  };
  return status_of(client.write<v1::Contexts>(&v1::Contexts::Stub::UploadContext, next_piece,
                                              options.stop));
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

Result<ContextListing> list_context(const std::string& folder, const std::stop_token& stop) {
  Found found = TRY(walk(folder, stop));
  const Sum sum = sum_of(found.entries);
  ContextListing listing{.ignored = std::move(found.ignored),
                         .bytes = sum.bytes,
                         .problems = std::move(found.problems),
                         .is_cut = found.is_cut};
  for (Entry& entry : found.entries) {
    if (entry.type == fs::file_type::directory) continue;
    listing.files.push_back({std::move(entry.path), entry.bytes});
  }
  Status over = check_limits(sum.files, sum.bytes);
  if (over.ok() && found.is_cut) over = too_large(folder);
  if (!over.ok()) listing.problems.insert(listing.problems.begin(), std::move(over));
  return listing;
}

Result<PackedContext> pack_context(const std::string& folder, const ContextOptions& options) {
  const Found found = TRY(walk(folder, options.stop));
  if (!found.problems.empty()) return found.problems.front();
  const Sum sum = sum_of(found.entries);
  TRY(check_limits(sum.files, sum.bytes));
  if (found.is_cut) return too_large(folder);
  PackedContext context;
  const std::unique_ptr<archive, ArchiveCloser> writer(archive_write_new());
  archive_write_add_filter_gzip(writer.get());
  archive_write_set_options(writer.get(), "gzip:!timestamp");
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open2(writer.get(), &context.archive, nullptr, append_bytes, nullptr, nullptr);
  for (const Entry& entry : found.entries) {
    if (options.stop.stop_requested()) return stopped();
    TRY(write_entry(writer.get(), entry, context));
    report(options, {.done_bytes = context.bytes, .total_bytes = sum.bytes, .files = sum.files});
  }
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return internal("context: ", std::string(archive_error_string(writer.get())));
  }
  context.hash = sha256_hex(context.archive);
  return context;
}

Result<std::string> upload_context(const Client& client, const std::string& folder,
                                   const ContextOptions& options) {
  const PackedContext context = TRY(pack_context(folder, options));
  v1::HasContextRequest has;
  has.set_hash(context.hash);
  const auto known = TRY(client.call<v1::Contexts>(&v1::Contexts::Stub::HasContext, has,
                                                   {.stop = options.stop}));
  if (!known.present()) TRY(send(client, context, options));
  return context.hash;
}

}  // namespace dt::client
