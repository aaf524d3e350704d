// Pages of lists: what a request may ask for. A size or token that cannot be meant is refused with
// the limit, never bent silently.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "dovetail/v1/common.pb.h"

namespace dt::master {

inline constexpr int page_size_default = 100;
inline constexpr int page_size_max = 20'000;

Result<int> page_size(const ::dovetail::v1::Page& page);
// The number in the page's token: where the page before ended; `first` without a token.
Result<std::int64_t> page_after(const ::dovetail::v1::Page& page, std::int64_t first);

}  // namespace dt::master
