// Small files and their durability: read whole, replace atomically, fsync a folder. Any thread.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/status.h"

namespace dt::shim {

// "cannot open /a/b: No such file or directory", with the code that fits errno.
Status file_error(const std::string& what, int error);

Result<std::string> read_file(const std::string& path);
// A reader sees the old text or the new, also after a power loss.
Status replace_file(const std::string& path, const std::string& text);
Status sync_folder(const std::string& path);

}  // namespace dt::shim
