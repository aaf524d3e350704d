// Files of the agent's data folder: read whole, replaced atomically, made durable. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/status.h"

namespace dt::agent {

// "cannot open /a/b: No such file or directory", with the code that fits errno.
Status file_error(const std::string& what, int error);

Result<std::string> read_file(const std::string& path);
// A reader sees the old text or the new, also after a power loss.
Status replace_file(const std::string& path, const std::string& text, mode_t mode = 0600);
// Made if it is missing, its parents too; its mode is set whatever the umask says.
Status make_folder(const std::string& path, mode_t mode);
Status sync_folder(const std::string& path);
bool exists(const std::string& path);

// A path below a folder without links: "a/b" of what a rank wrote, never outside of it.
Result<Fd> open_below(const std::string& folder, const std::string& path);
// A relative path without "..", empty or absolute parts.
bool is_safe_relative(std::string_view path);

// Reads to the end in pieces; stops at the first error of `take`.
Status read_pieces(int fd, const std::string& name,
                   const std::function<Status(std::string_view piece)>& take);
Status write_all(int fd, std::string_view bytes, const std::string& name);

}  // namespace dt::agent
