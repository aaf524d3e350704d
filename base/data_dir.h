// Where Dovetail keeps its data on this machine when no folder is named: $DOVETAIL_DIR, else
// /var/lib/dovetail as root, else ~/.local/share/dovetail.
#pragma once

#include <string>

namespace dt {

std::string default_data_dir();

}  // namespace dt
