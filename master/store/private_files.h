// Files and folders of the private PostgreSQL: written whole or not at all, and readable by one
// user.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"
#include "master/store/run_program.h"

namespace dt::master {

std::string read_file(const std::string& path);            // empty if it cannot be read
std::string line_of(const std::string& text, int number);  // from 1; empty if there is none
Status write_file(const std::string& path, const std::string& text, mode_t mode);
// Makes a folder (0700) of this user; one that is there already must be just that.
Status make_private_folder(const std::string& path, const OsUser& user);
// "making /a: No space left on device", from errno.
Status file_error(const std::string& doing, const std::string& path);

}  // namespace dt::master
