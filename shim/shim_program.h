// dt-shim: keeps the allocation whose folder it is given, until no process of it is left.
#pragma once

#include <string>

namespace dt::shim {

// The exit status of the program: 0 ended in order, 1 could not begin (state.json says why), 3
// another shim keeps this folder.
int run_shim(const std::string& folder);

}  // namespace dt::shim
