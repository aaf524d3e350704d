// Runs a short-lived program of someone else's (initdb, pg_ctl) and collects what it prints. The
// child gets no file of ours, a small environment, default signals, and another user if told so.
// Thread rule: forks; safe beside other threads, since the child only makes system calls.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dt::master {

struct OsUser {
  std::string name;
  unsigned id = 0;
  unsigned group = 0;
  std::vector<unsigned> groups;
};

// not_found if there is no such user.
Result<OsUser> os_user(const std::string& name);
Result<OsUser> os_user(unsigned id);
OsUser present_user();
// Could this user reach into the folder? failed_precondition names the ancestor that stops it.
Status check_reachable(const std::string& folder, const OsUser& user);

struct ProgramEnd {
  int code = 0;        // 128 + signal if a signal ended it
  std::string output;  // stdout and stderr, at most the last 16 KiB
};

// `command[0]` is an absolute path.
Result<ProgramEnd> run_program(const std::vector<std::string>& command, const OsUser& user);

}  // namespace dt::master
