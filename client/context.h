// The context: a directory packed as a tar.gz whose bytes depend on its content alone (sorted
// paths, no times, no owners), so the same files have the same hash and are uploaded once.
// .dtignore and .detignore hold patterns as in .gitignore (no “!”); .git and __pycache__ are always
// left out. Everything here reads the disk and blocks; any thread may call, `stop` ends it soon.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/context_limits.h"
#include "base/status.h"
#include "client/client.h"

namespace dt::client {

// --- what would be packed

struct ContextFile {
  std::string path;  // relative to the folder
  std::int64_t bytes = 0;
  bool operator==(const ContextFile&) const = default;
};

struct IgnoredPath {
  std::string path;  // a folder stands for all below it
  bool is_folder = false;
  std::string pattern;  // the first that matches
  std::string source;   // where it stands: ".dtignore line 3"; "always"
  bool operator==(const IgnoredPath&) const = default;
};

struct ContextListing {
  std::vector<ContextFile> files;  // by path, as are the others; links count as files of 0 bytes
  std::vector<IgnoredPath> ignored;  // the first 10,000
  std::int64_t bytes = 0;
  // Why pack_context() would refuse the folder; each names its path or limit, and the way out.
  std::vector<Status> problems;
  bool is_cut = false;  // the folder is so large that the rest was not read
};

// Tells problems of single files in the listing; fails when there is no such folder.
Result<ContextListing> list_context(const std::string& folder, const std::stop_token& stop = {});

// --- packing and uploading

struct PackedContext {
  std::string archive;
  std::string hash;
  std::int64_t bytes = 0;  // unpacked
  std::int64_t files = 0;
};

struct ContextProgress {
  enum class Phase { packing, uploading };
  Phase phase = Phase::packing;
  std::int64_t done_bytes = 0;  // unpacked ones, then packed ones
  std::int64_t total_bytes = 0;
  std::int64_t files = 0;  // in all
};

struct ContextOptions {
  std::function<void(const ContextProgress&)> on_progress{};  // on the calling thread
  std::stop_token stop{};
};

// Refuses what the master would: over the limits, a link out, a socket or device; names the path.
Result<PackedContext> pack_context(const std::string& folder, const ContextOptions& options = {});

// Packs and uploads it, unless the master has it. Gives the hash.
Result<std::string> upload_context(const Client& client, const std::string& folder,
                                   const ContextOptions& options = {});

// One line of an ignore file against a path relative to the context.
bool ignore_matches(const std::string& pattern, const std::string& path, bool is_folder);

}  // namespace dt::client
