// A piece of JSON for those who write much of it without building a Value first. Pure.
#pragma once

#include <string>
#include <string_view>

namespace dt {

// The text in quotes, escaped; bytes that are no UTF-8 become U+FFFD, as in to_json().
void append_json_text(std::string& out, std::string_view text);

}  // namespace dt
