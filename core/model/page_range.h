// A part of a list by offset and limit, as Determined cuts it. Pure.
#pragma once

#include "base/status.h"

namespace dt::core {

struct PageRange {
  int start = 0;
  int count = 0;
  bool operator==(const PageRange&) const = default;
};

// A negative offset counts from the end; limit 0: all that follow.
Result<PageRange> page_range(int total, int offset, int limit);

}  // namespace dt::core
