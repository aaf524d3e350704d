// UTF-8 checks: what leaves as JSON or protobuf must be valid UTF-8, what users print need not be.
// Valid means RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <string>
#include <string_view>

namespace dt {

bool is_valid_utf8(std::string_view text);

// The text with every invalid byte replaced by U+FFFD.
std::string with_valid_utf8(std::string_view text);

}  // namespace dt
