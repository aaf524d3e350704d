// Where this installation lies, for what trials need of it: find_package(Dovetail) and the Python
// client. $DT_PREFIX names it, else it is the folder above the program's.
#pragma once

#include <optional>
#include <string>

#include "agent/user.h"
#include "base/status.h"

namespace dt::agent {

std::string installation_prefix();

// The folder that PYTHONPATH needs for `import dovetail`, copied into the data folder if the ranks'
// user cannot reach it where it is. Empty: this installation has none.
Result<std::string> reachable_python(const std::string& prefix, const std::string& data_dir,
                                     const std::optional<User>& user);

}  // namespace dt::agent
