#include "core/model/page_range.h"

#include <algorithm>

namespace dt::core {

Result<PageRange> page_range(int total, int offset, int limit) {
  if (offset > total || offset < -total) {
    return invalid_argument("offset: ", offset, " is outside of a list of ", total)
        .with_detail({.subject = "offset",
                      .value = std::to_string(offset),
                      .hint = cat("from ", -total, " to ", total),
                      .path = "offset"});
  }
  if (limit < 0) {
    return invalid_argument("limit: ", limit, " is negative")
        .with_detail({.subject = "limit",
                      .value = std::to_string(limit),
                      .hint = "0 is all that follow",
                      .path = "limit"});
  }
  const int start = offset < 0 ? total + offset : offset;
  const int left = total - start;
  return PageRange{.start = start, .count = limit == 0 ? left : std::min(limit, left)};
}

}  // namespace dt::core
