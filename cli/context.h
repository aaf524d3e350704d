// The context: a directory packed as a tar.gz whose bytes depend on its content alone (sorted
// paths, no times, no owners), so the same files have the same hash and are uploaded once.
// .dtignore and .detignore hold patterns as in .gitignore (no “!”); .git and __pycache__ are always
// left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/client.h"

namespace dt::cli {

inline constexpr std::int64_t context_bytes_max = 96LL * 1024 * 1024;
inline constexpr std::int64_t context_files_max = 20'000;

struct PackedContext {
  std::string archive;
  std::string hash;
  std::int64_t bytes = 0;  // unpacked
  std::int64_t files = 0;
};

// Refuses what the master would: over the limits, a link out, a socket or device; names the path.
Result<PackedContext> pack_context(const std::string& folder);

// Uploads it unless the master has it; says so on stderr when it takes long. Gives the hash.
Result<std::string> upload_context(const client::Client& client, const std::string& folder);

// One line of an ignore file against a path relative to the context.
bool ignore_matches(const std::string& pattern, const std::string& path, bool is_folder);

}  // namespace dt::cli
