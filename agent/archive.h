// Unpacks a context (tar.gz) with libarchive's secure flags: no absolute paths, no "..", no link
// out of the folder, no device or fifo, and within limits, so a small archive cannot fill the disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/context_limits.h"
#include "base/status.h"

namespace dt::agent {

struct ArchiveLimits {
  std::int64_t bytes_max = context_bytes_max;  // unpacked
  std::int64_t files_max = context_files_max;
};

// Into an existing, empty folder. On an error the folder holds a part.
Status unpack_archive(const std::string& archive, const std::string& folder,
                      const ArchiveLimits& limits = {});

}  // namespace dt::agent
