// What is said when a disk is full, the same in every program: which folder, how much is left, and
// that nobody has to do anything but free space. Any thread.
#pragma once

#include <string>

#include "base/status.h"

namespace dt {

bool is_no_space(int error);  // errno says that the disk, or the user's share of it, is full

// "cannot write the spool: no space left in /data/agent-1, 0 bytes free", resource_exhausted, with
// the way out as its hint. `path`: the file or folder that was written.
Status no_space_left(const std::string& what, const std::string& path);

}  // namespace dt
