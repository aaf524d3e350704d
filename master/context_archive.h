// Looks at an uploaded context before it is kept: a tar (gzip) archive within the limits of DESIGN
// §5, with plain files and folders only, no path that leaves it, no link out. Adapter of libarchive.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"

namespace dt::master {

inline constexpr std::int64_t context_bytes_max = 96LL * 1024 * 1024;  // unpacked
inline constexpr std::int64_t context_files_max = 20'000;

struct ContextContent {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

Result<ContextContent> check_context_archive(const std::filesystem::path& archive);

}  // namespace dt::master
