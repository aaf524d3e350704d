// Words of messages that people read: what was meant by a word that is not known, and how many of
// a thing. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dt {

// The known word that differs least, or "" when none is near enough to be a typing error.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

std::string counted(std::int64_t count, const std::string& noun);  // "1 slot", "2 slots"

}  // namespace dt
