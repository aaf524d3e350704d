// Starts a program as the shim starts ranks: own process group, standard input /dev/null, output on
// two pipes, as another user when told so, and dead as soon as the calling process is (PDEATHSIG,
// set after the change of user, which would clear it). Call spawn() from the thread that lives as
// long as the process: the kernel ties PDEATHSIG to it.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/status.h"

namespace dt::shim {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  bool operator==(const User&) const = default;
};

// With the user's supplementary groups, as the system knows them.
User user_with_groups(uid_t uid, gid_t gid);

struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // the whole environment
  std::string cwd;                         // empty: the caller's
  std::optional<User> user;                // none: the caller's
  bool operator==(const Command&) const = default;
};

struct Process {
  pid_t pid = 0;
  Fd out;  // non-blocking read ends
  Fd err;
};

// Returns once the program runs, or says why it does not.
Result<Process> spawn(const Command& command);

}  // namespace dt::shim
