// The processes below one process, daemons that called setsid included: with PR_SET_CHILD_SUBREAPER
// every orphan becomes its reaper's child, so the parent links of /proc hold the whole tree.
#pragma once

#include <sys/types.h>

#include <vector>

namespace dt::shim {

struct Descendant {
  pid_t pid = 0;
  bool is_zombie = false;
  pid_t group = 0;  // of processes, if its leader is of the tree or gone; else 0
};

std::vector<Descendant> descendants_of(pid_t ancestor);
bool is_descendant(pid_t pid, pid_t ancestor);

}  // namespace dt::shim
