// File paths as text: core may not touch a file system, and needs none to tell where a path leads.
#pragma once

#include <string>

namespace dt::core {

bool is_absolute(const std::string& path);

// Without ".", "..", doubled and trailing slashes. A relative path that leaves its start keeps its
// leading "..".
std::string normalised(const std::string& path);

// Whether `path` is `folder` or lies below it; both absolute.
bool is_within(const std::string& path, const std::string& folder);

}  // namespace dt::core
