// How large a context may be (DESIGN §5). Whoever packs, keeps or unpacks one holds it to the same.
#pragma once

#include <cstdint>

namespace dt {

inline constexpr std::int64_t context_bytes_max = 96LL * 1024 * 1024;  // unpacked
inline constexpr std::int64_t context_files_max = 20'000;

}  // namespace dt
