// MD5 (RFC 1321), only because Determined's scheduler breaks ties by it and ours must agree. It
// protects nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dt::core {

using Md5Digest = std::array<std::uint8_t, 16>;

Md5Digest md5(std::string_view text);

}  // namespace dt::core
