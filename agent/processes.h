// Processes of this machine, as /proc tells of them. What has ended meanwhile is answered like what
// never was. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dt::agent {

std::vector<pid_t> processes();  // but this one
bool is_alive(pid_t pid);        // a zombie is not
std::string program_of(pid_t pid);
// Its environment, as it was at its start, has "NAME=value".
bool has_variable(pid_t pid, const std::string& assignment);

}  // namespace dt::agent
