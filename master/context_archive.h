// Looks at an uploaded context before it is kept: a tar (gzip) archive within the limits of DESIGN
// §5, with plain files and folders only, no path that leaves it, no link out. Adapter of libarchive.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/context_limits.h"
#include "base/status.h"

namespace dt::master {

struct ContextContent {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

Result<ContextContent> check_context_archive(const std::filesystem::path& archive);

}  // namespace dt::master
