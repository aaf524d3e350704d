#include "base/disk_space.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>

namespace dt {

namespace fs = std::filesystem;

bool is_no_space(int error) { return error == ENOSPC || error == EDQUOT; }

Status no_space_left(const std::string& what, const std::string& path) {
  std::error_code error;
  const fs::path given(path);
  const fs::path folder = fs::is_directory(given, error) ? given : given.parent_path();
  const fs::space_info space = fs::space(folder, error);
  const std::string left =
      error ? "" : cat(", ", static_cast<std::int64_t>(space.available), " bytes free");
  return resource_exhausted(what, ": no space left in ", folder.string(), left)
      .with_hint("free space there; work goes on by itself");
}

}  // namespace dt
